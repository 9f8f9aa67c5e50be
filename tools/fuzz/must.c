// SPDX-License-Identifier: GPL-2.0
/* What must be true of what was written, whatever the names. */
#include <ctype.h>
#include <expat.h>
#include <json-c/json.h>
#include <string.h>
#include <zlib.h>

#include "escape.h"
#include "fuzz.h"
#include "profile.pb-c.h"

#define PROFILE_MAX (64u << 20)

/* Nothing that moves a cursor, colours, hides or reorders what a person sees. */
static bool is_harmless(unsigned int c, const char *controls)
{
	if (c < 0x20)
		return c && strchr(controls, c);
	if (c >= 0x7f && c < 0xa0)
		return false;
	return !(c >= 0x202a && c <= 0x202e) && !(c >= 0x2066 && c <= 0x2069);
}

void must_be_text(const char *text, size_t len, const char *controls)
{
	for (size_t i = 0; i < len;) {
		size_t n;

		if (text[i] >= ' ' && text[i] < 0x7f) {
			i++;
			continue;
		}
		n = iob_utf8_length(text + i);

		MUST(n && i + n <= len);
		MUST(is_harmless(iob_utf8_char(text + i, n), controls));
		i += n;
	}
}

void must_be_json(const char *text, size_t len)
{
	struct json_tokener *tok = json_tokener_new();
	struct json_object *o;

	must_be_text(text, len, "\n");
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT |
			       JSON_TOKENER_VALIDATE_UTF8);
	o = json_tokener_parse_ex(tok, text, len);
	MUST(o && json_tokener_get_error(tok) == json_tokener_success);
	MUST(json_object_is_type(o, json_type_object));
	for (size_t i = json_tokener_get_parse_end(tok); i < len; i++)
		MUST(isspace((unsigned char)text[i]));
	json_object_put(o);
	json_tokener_free(tok);
}

/* Calls a check for each line without its end. */
static void each_line(const char *text, size_t len,
		      void (*check)(const char *line, size_t len))
{
	while (len) {
		const char *nl = memchr(text, '\n', len);

		MUST(nl);
		check(text, nl - text);
		len -= nl + 1 - text;
		text = nl + 1;
	}
}

void must_be_json_lines(const char *text, size_t len)
{
	each_line(text, len, must_be_json);
}

/* "frame;frame N": no frame is empty, and the number is the one after all. */
static void folded_line(const char *line, size_t len)
{
	size_t end = len;

	while (end && isdigit((unsigned char)line[end - 1]))
		end--;
	MUST(end < len && end > 1 && line[end - 1] == ' ');
	MUST(*line != ';' && line[end - 2] != ';');
	for (size_t i = 1; i < end; i++) {
		MUST(line[i - 1] != ';' || line[i] != ';');
		MUST(i == end - 1 || line[i] != ' ' ||
		     !isdigit((unsigned char)line[i + 1]));
	}
}

void must_be_folded(const char *text, size_t len)
{
	must_be_text(text, len, "\n");
	each_line(text, len, folded_line);
}

void must_be_xml(const char *text, size_t len)
{
	XML_Parser p = XML_ParserCreate("UTF-8");

	must_be_text(text, len, "\n\t");
	MUST(p);
	if (XML_Parse(p, text, len, 1) != XML_STATUS_OK) {
		fprintf(stderr, "line %lu: %s\n", XML_GetCurrentLineNumber(p),
			XML_ErrorString(XML_GetErrorCode(p)));
		abort();
	}
	XML_ParserFree(p);
}

/* Every record has as many fields as the first; quotes end. */
void must_be_csv(const char *text, size_t len)
{
	size_t nr = 1, want = 0;
	bool quoted = false;

	must_be_text(text, len, "\n");
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '"')
			quoted = !quoted;
		else if (!quoted && text[i] == ',')
			nr++;
		else if (!quoted && text[i] == '\n') {
			want = want ? want : nr;
			MUST(nr == want);
			nr = 1;
		}
	}
	MUST(!quoted && nr == 1);
}

void must_be_raw(const char *text, size_t len)
{
	size_t nr = 1, want = 0;
	bool comment = false, start = true;

	must_be_text(text, len, "\n\t");
	for (size_t i = 0; i < len; i++) {
		if (start)
			comment = text[i] == '#';
		start = text[i] == '\n';
		if (text[i] == '\t')
			nr++;
		if (!start || comment)
			continue;
		want = want ? want : nr;
		MUST(nr == want);
		nr = 1;
	}
	MUST(start && want);
}

void must_be_pprof(const char *text, size_t len)
{
	z_stream z = { .next_in = (Bytef *)text, .avail_in = len };
	uint8_t *buf = NULL;
	Perftools__Profiles__Profile *p;
	size_t room = 4096;
	int ret;

	MUST(inflateInit2(&z, 15 + 16) == Z_OK);
	do {
		room *= 2;
		MUST(room <= PROFILE_MAX);
		buf = realloc(buf, room);
		MUST(buf);
		z.next_out = buf + z.total_out;
		z.avail_out = room - z.total_out;
		ret = inflate(&z, Z_NO_FLUSH);
		MUST(ret == Z_OK || ret == Z_STREAM_END || ret == Z_BUF_ERROR);
	} while (ret != Z_STREAM_END);
	p = perftools__profiles__profile__unpack(NULL, z.total_out, buf);
	MUST(p && p->n_string_table && !*p->string_table[0]);
	for (size_t i = 0; i < p->n_string_table; i++)
		must_be_text(p->string_table[i], strlen(p->string_table[i]), "");
	for (size_t i = 0; i < p->n_sample; i++) {
		MUST(p->sample[i]->n_value == p->n_sample_type);
		for (size_t k = 0; k < p->sample[i]->n_location_id; k++)
			MUST(p->sample[i]->location_id[k] &&
			     p->sample[i]->location_id[k] <= p->n_location);
	}
	perftools__profiles__profile__free_unpacked(p, NULL);
	inflateEnd(&z);
	free(buf);
}

/* "name{label="value",..} number", the value without a bare quote. */
static void metrics_line(const char *line, size_t len)
{
	const char *end = line + len, *p;
	bool quoted = false;

	if (*line == '#')
		return;
	MUST(len > 8 && !memcmp(line, "ioblame_", 8));
	p = memchr(line, '{', len);
	MUST(p);
	for (p++; p < end && (quoted || *p != '}'); p++) {
		if (quoted && *p == '\\')
			p++;
		else if (*p == '"')
			quoted = !quoted;
	}
	MUST(p + 2 < end && p[1] == ' ');
	for (p += 2; p < end; p++)
		MUST(isdigit((unsigned char)*p));
}

void must_be_metrics(const char *text, size_t len)
{
	static const char eof[] = "# EOF\n";

	must_be_text(text, len, "\n");
	MUST(len >= 6 && !memcmp(text + len - 6, eof, 6));
	each_line(text, len, metrics_line);
}
