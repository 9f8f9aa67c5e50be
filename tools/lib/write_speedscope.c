// SPDX-License-Identifier: GPL-2.0
/*
 * The file format of speedscope, see its file-format-schema.json: one profile for
 * each metric there is, the one that was asked for in front.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>

#include "flame.h"
#include "writer.h"

struct file {
	struct iob_strings *strings;	/* names of all the trees */
	struct json_object *frames;
	struct iob_map frame_by_name;
};

static void add(struct json_object *o, const char *name, struct json_object *v)
{
	json_object_object_add(o, name, v);
}

static struct json_object *text(const char *s)
{
	return json_object_new_string(s);
}

static int frame_of(struct file *s, const char *name, uint32_t *at)
{
	const char *kept = iob_strings_intern(s->strings, name, strlen(name));
	struct json_object *o;

	if (!kept)
		return -ENOMEM;
	if (iob_map_get(&s->frame_by_name, (uintptr_t)kept, at))
		return 0;
	*at = json_object_array_length(s->frames);
	o = json_object_new_object();
	add(o, "name", text(kept));
	json_object_array_add(s->frames, o);
	return iob_map_set(&s->frame_by_name, (uintptr_t)kept, *at);
}

static int add_sample(struct file *s, const struct iob_flame *f, uint32_t node,
		      uint32_t *path, struct json_object *samples)
{
	uint32_t nr = iob_flame_path(f, node, path), at;
	struct json_object *a = json_object_new_array();
	int ret = 0;

	json_object_array_add(samples, a);
	for (uint32_t k = 0; !ret && k < nr; k++) {
		ret = frame_of(s, f->nodes.v[path[k]].name, &at);
		if (!ret)
			json_object_array_add(a, json_object_new_int64(at));
	}
	return ret;
}

static const char *unit(const struct iob_metric *m)
{
	/* A count has none there. */
	return strcmp(m->unit, "count") ? m->unit : "none";
}

static int add_profile(struct file *s, const struct iob_report *r,
		       const struct iob_metric *m, struct json_object *profiles,
		       struct iob_err *err)
{
	struct json_object *o, *samples, *weights;
	struct iob_flame f;
	uint32_t *path = NULL;
	int ret = iob_flame_make(&f, r, m, err);

	if (!ret) {
		path = calloc(f.max_depth + 1, sizeof(*path));
		if (!path)
			ret = iob_fail(err, -ENOMEM, "out of memory");
	}
	if (ret) {
		iob_flame_free(&f);
		return ret;
	}
	samples = json_object_new_array();
	weights = json_object_new_array();
	for (size_t i = 0; !ret && i < f.nodes.nr; i++) {
		if (!f.nodes.v[i].self)
			continue;
		if (add_sample(s, &f, i, path, samples))
			ret = iob_fail(err, -ENOMEM, "out of memory");
		json_object_array_add(weights,
				      json_object_new_uint64(f.nodes.v[i].self));
	}
	o = json_object_new_object();
	add(o, "type", text("sampled"));
	add(o, "name", text(m->name));
	add(o, "unit", text(unit(m)));
	add(o, "startValue", json_object_new_int(0));
	add(o, "endValue", json_object_new_uint64(f.nodes.v[0].total));
	add(o, "samples", samples);
	add(o, "weights", weights);
	json_object_array_add(profiles, o);
	free(path);
	iob_flame_free(&f);
	return ret;
}

static int add_profiles(struct file *s, const struct iob_report *r,
			const struct iob_metric *first,
			struct json_object *profiles, struct iob_err *err)
{
	int ret = add_profile(s, r, first, profiles, err);

	for (const struct iob_metric *m = iob_metrics; !ret && m->name; m++)
		if (m != first && iob_metric_known(m, r))
			ret = add_profile(s, r, m, profiles, err);
	return ret;
}

static int write_speedscope(const struct iob_report *r,
			    const struct iob_write_options *o,
			    struct iob_err *err)
{
	struct json_object *root = json_object_new_object();
	struct json_object *shared = json_object_new_object();
	struct json_object *profiles = json_object_new_array();
	struct file s = { .strings = iob_strings_create() };
	char exporter[64];
	int ret = -ENOMEM;

	s.frames = json_object_new_array();
	add(shared, "frames", s.frames);
	snprintf(exporter, sizeof(exporter), "ioblame %s",
		 r->version ? r->version : "");
	add(root, "$schema",
	    text("https://www.speedscope.app/file-format-schema.json"));
	add(root, "name", text("disk IO by origin"));
	add(root, "exporter", text(exporter));
	add(root, "activeProfileIndex", json_object_new_int(0));
	add(root, "shared", shared);
	add(root, "profiles", profiles);
	if (s.strings)
		ret = add_profiles(&s, r, o->metric, profiles, err);
	else
		iob_fail(err, ret, "out of memory");
	if (!ret) {
		fputs(json_object_to_json_string_ext(root,
				JSON_C_TO_STRING_PLAIN |
				JSON_C_TO_STRING_NOSLASHESCAPE), o->out);
		fputc('\n', o->out);
	}
	json_object_put(root);
	iob_map_free(&s.frame_by_name);
	iob_strings_destroy(s.strings);
	return ret;
}

const struct iob_writer iob_speedscope_writer = {
	.name = "speedscope",
	.default_fields = IOB_FLAME_FIELDS,
	.counts_once = true,
	.all_metrics = true,
	.write = write_speedscope,
};
