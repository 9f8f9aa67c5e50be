// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "knob.h"
#include "module.h"
#include "snapshot.h"

#define MODULE "ioblame"
#define MODULES_DEP_MAX (16u << 20)

/**
 * iob_lockdown - how far the kernel is locked down
 * @root: directory that stands for ``/``
 * @level: ``none``, ``integrity`` or ``confidentiality``
 * @size: room in @level
 *
 * Return: whether it is locked down at all.
 */
bool iob_lockdown(const char *root, char *level, size_t size)
{
	char path[PATH_MAX], value[256], *from, *to;

	snprintf(level, size, "none");
	snprintf(path, sizeof(path), "%s/sys/kernel/security/lockdown", root);
	if (iob_knob_read(path, value, sizeof(value), NULL))
		return false;
	from = strchr(value, '[');
	to = from ? strchr(from, ']') : NULL;
	if (!to)
		return false;
	*to = '\0';
	snprintf(level, size, "%s", from + 1);
	return strcmp(level, "none");
}

static int refused(const char *what, int error, struct iob_err *err)
{
	char level[32];

	if (iob_lockdown("", level, sizeof(level)))
		return iob_fail(err, -error,
				"the kernel is locked down (%s) and refuses %s: sign the module, or boot without lockdown",
				level, what);
	if (error == EKEYREJECTED || error == ENOKEY || error == EBADMSG)
		return iob_fail(err, -error,
				"the kernel refuses the signature of %s: sign it with a key this kernel trusts",
				what);
	if (error == EPERM)
		return iob_fail(err, -error,
				"not permitted to load %s: needs CAP_SYS_MODULE, kernel.modules_disabled=0 and no lockdown (see dmesg)",
				what);
	if (error == ENOEXEC)
		return iob_fail(err, -error,
				"%s was built for another kernel: build it for this one",
				what);
	return iob_fail(err, -error, "cannot load %s: %s (see dmesg)", what,
			strerror(error));
}

static int load_file(const char *path, struct iob_err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int error = 0;

	if (fd < 0)
		return iob_fail(err, -errno, "cannot open %s: %s", path,
				strerror(errno));
	if (syscall(SYS_finit_module, fd, "", 0))
		error = errno;
	close(fd);
	if (!error || error == EEXIST)
		return 0;
	return refused(path, error, err);
}

/**
 * iob_module_installed - whether modprobe would find the module
 *
 * Return: true if it is in this kernel's list of modules.
 */
bool iob_module_installed(void)
{
	struct utsname u;
	struct iob_blob dep;
	char path[PATH_MAX];
	bool found;

	uname(&u);
	snprintf(path, sizeof(path), "/lib/modules/%s/modules.dep", u.release);
	if (iob_blob_read(&dep, path, MODULES_DEP_MAX, NULL))
		return false;
	found = strstr(dep.p, "/" MODULE ".ko");
	iob_blob_free(&dep);
	return found;
}

/* What modprobe complains of first; it has no exit status for each cause. */
static int run_modprobe(char *said, size_t size)
{
	extern char **environ;
	char *argv[] = { "modprobe", MODULE, NULL };
	posix_spawn_file_actions_t fa;
	int p[2], status, ret;
	size_t len = 0;
	ssize_t n;
	pid_t pid;

	*said = '\0';
	if (pipe2(p, O_CLOEXEC))
		return -errno;
	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_adddup2(&fa, p[1], 2);
	posix_spawn_file_actions_adddup2(&fa, p[1], 1);
	ret = posix_spawnp(&pid, argv[0], &fa, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&fa);
	close(p[1]);
	while (!ret && len + 1 < size &&
	       (n = read(p[0], said + len, size - 1 - len)) > 0)
		len += n;
	close(p[0]);
	if (ret)
		return -ret;
	said[len] = '\0';
	said[strcspn(said, "\n")] = '\0';
	if (waitpid(pid, &status, 0) < 0)
		return -errno;
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -EIO;
}

/**
 * iob_module_load - load the module
 * @path: its file; NULL: the one that is installed
 * @err: error text
 *
 * Return: 0 or a negative errno.
 */
int iob_module_load(const char *path, struct iob_err *err)
{
	char said[256];
	int ret;

	if (path)
		return load_file(path, err);
	if (!iob_module_installed())
		return iob_fail(err, -ENOENT,
				"the module ioblame is neither loaded nor installed: insmod ioblame.ko, or name it with --load, or 'make install'");
	ret = run_modprobe(said, sizeof(said));
	if (!ret)
		return 0;
	if (strstr(said, "Key was rejected") || strstr(said, "not permitted"))
		return refused("the module ioblame",
			       strstr(said, "Key") ? EKEYREJECTED : EPERM, err);
	return iob_fail(err, ret, "cannot load the module ioblame: %s",
			*said ? said : strerror(-ret));
}

/**
 * iob_module_unload - unload the module again
 *
 * Return: 0 or a negative errno; somebody else may use it by now.
 */
int iob_module_unload(void)
{
	return syscall(SYS_delete_module, MODULE, O_NONBLOCK) ? -errno : 0;
}
