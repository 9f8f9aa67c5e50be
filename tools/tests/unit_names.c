// SPDX-License-Identifier: GPL-2.0
/* What things are called: containers by their cgroups, disks, files by the mounts. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "container.h"
#include "names.h"
#include "unit.h"

#define ID "3f4b9c0a7d21e85f6a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f6071"
#define UID "1b2c3d4e-5f60-4718-9293-a4b5c6d7e8f9"
#define UID_ "1b2c3d4e_5f60_4718_9293_a4b5c6d7e8f9"
#define PODS "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" UID_ ".slice"

/* Paths as they are found on machines; NULL: no name. */
static const struct {
	const char *cgroup, *name;
} containers[] = {
	{ "/", NULL },
	{ "", NULL },
	{ "/foo/bar", NULL },
	{ "/system.slice/docker-" ID ".scope", "docker:3f4b9c0a7d21" },
	{ "/docker/" ID, "docker:3f4b9c0a7d21" },
	{ "/docker/" ID "/init", "docker:3f4b9c0a7d21" },
	{ "/docker/buildx", NULL },
	{ "/system.slice/docker.service", "docker.service" },
	{ "/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID ".scope/container",
	  "podman:3f4b9c0a7d21" },
	{ "/machine.slice/libpod-" ID ".scope", "podman:3f4b9c0a7d21" },
	{ "/libpod_parent/libpod-" ID, "podman:3f4b9c0a7d21" },
	{ "/machine.slice/libpod-conmon-" ID ".scope",
	  "libpod-conmon-" ID ".scope" },
	{ "/system.slice/nerdctl-" ID ".scope", "nerdctl:3f4b9c0a7d21" },
	{ PODS "/cri-containerd-" ID ".scope", "pod:1b2c3d4e/containerd:3f4b9c0a7d21" },
	{ PODS "/crio-" ID ".scope/container", "pod:1b2c3d4e/crio:3f4b9c0a7d21" },
	{ PODS, "pod:1b2c3d4e" },
	{ "/kubepods/besteffort/pod" UID "/" ID, "pod:1b2c3d4e/container:3f4b9c0a7d21" },
	{ "/kubepods/pod" UID, "pod:1b2c3d4e" },
	{ "/kubepods.slice/kubepods-pod0123456789abcdef0123456789abcdef.slice/docker-" ID ".scope",
	  "pod:01234567/docker:3f4b9c0a7d21" },
	{ "/system.slice/containerd.service/kubepods-burstable-pod" UID_ ".slice:cri-containerd:" ID,
	  "containerd:3f4b9c0a7d21" },
	/* Kubernetes in docker: the pod is meant, not its machine. */
	{ "/system.slice/docker-" ID ".scope/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-besteffort.slice/kubelet-kubepods-besteffort-pod" UID_ ".slice/cri-containerd-" ID ".scope",
	  "pod:1b2c3d4e/containerd:3f4b9c0a7d21" },
	{ "/lxc.payload.web1/system.slice/nginx.service", "lxc:web1" },
	{ "/lxc.monitor.web1", "lxc:web1" },
	{ "/lxc/web1", "lxc:web1" },
	{ "/machine.slice/machine-qemu\\x2d1\\x2dvm.scope", "machine:qemu-1-vm" },
	{ "/machine.slice/systemd-nspawn@build.service/payload", "machine:build" },
	{ "/system.slice/postgresql@15-main.service", "postgresql@15-main.service" },
	{ "/system.slice/system-getty.slice/getty@tty1.service", "getty@tty1.service" },
	{ "/user.slice/user-1000.slice/user@1000.service/app.slice/app-firefox-42.scope",
	  "app-firefox-42.scope" },
	{ "/user.slice/user-1000.slice/session-2.scope", "session-2.scope" },
	{ "/user.slice/user-1000.slice", "user-1000.slice" },
	{ "/init.scope", "init.scope" },
	{ "/system.slice/docker-nothex.scope", "docker-nothex.scope" },
	{ "/docker-.scope", "docker-.scope" },
	{ "/system.slice/.service", "system.slice" },
	{ "//system.slice//", "system.slice" },
};

static bool names_containers(void)
{
	char name[600];

	for (size_t i = 0; i < sizeof(containers) / sizeof(*containers); i++) {
		const char *want = containers[i].name;
		bool is = iob_container_name(containers[i].cgroup, name,
					     sizeof(name));

		if (is != !!want || (want && strcmp(want, name)))
			printf("# %s: %s, not %s\n", containers[i].cgroup,
			       is ? name : "none", want ? want : "none");
		EXPECT(is == !!want && (!want || !strcmp(want, name)));
	}
	return true;
}

static bool long_names_fit(void)
{
	char path[8192] = "/lxc/", name[600], small[8];

	memset(path + 5, 'x', 6000);
	EXPECT(iob_container_name(path, name, sizeof(name)));
	EXPECT(strlen(name) < sizeof(name) && !strncmp(name, "lxc:xxx", 7));
	EXPECT(iob_container_name("/system.slice", small, sizeof(small)));
	EXPECT(strlen(small) == 7);
	return true;
}

/* A file of a made-up root, with the directories to it */
static void put(const char *root, const char *file, const char *text)
{
	char path[1024];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", root, file);
	for (char *p = path + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(path, 0755);
		*p = '/';
	}
	f = fopen(path, "w");
	if (f) {
		fputs(text, f);
		fclose(f);
	}
}

static void put_link(const char *root, const char *file, const char *to)
{
	char path[1024];

	put(root, file, "");
	snprintf(path, sizeof(path), "%s/%s", root, file);
	unlink(path);
	if (symlink(to, path))
		perror(path);
}

static struct iob_names *names_of(char *root, size_t size)
{
	snprintf(root, size, "%s/names.XXXXXX", unit_dir());
	return mkdtemp(root) ? iob_names_create(root) : NULL;
}

static bool disks_have_aliases(void)
{
	char root[512], alias[512];
	struct iob_names *n = names_of(root, sizeof(root));
	uint32_t dev;

	EXPECT(n);
	put(root, "sys/devices/dm-0/dm/name", "vg-root\n");
	put(root, "sys/devices/dm-0/dev", "253:0\n");
	put_link(root, "sys/dev/block/253:0", "../../devices/dm-0");
	put_link(root, "sys/block/dm-0", "../devices/dm-0");
	put(root, "sys/devices/loop1/loop/backing_file", "/var/an image\n");
	put_link(root, "sys/dev/block/7:1", "../../devices/loop1");
	put(root, "sys/devices/md127/dev", "9:127\n");
	put_link(root, "sys/dev/block/9:127", "../../devices/md127");
	put_link(root, "sys/block/md127", "../devices/md127");
	put(root, "sys/devices/md126/dev", "9:126\n");
	put_link(root, "sys/dev/block/9:126", "../../devices/md126");
	put(root, "run/mdadm/map", "bad\nmd126 1.2 aaa /dev/md126\nmd127 1.2 bbb /dev/md/data\n");
	EXPECT(iob_names_alias(n, 253 << 20, alias, sizeof(alias)) &&
	       !strcmp(alias, "vg-root"));
	EXPECT(iob_names_alias(n, 7 << 20 | 1, alias, sizeof(alias)) &&
	       !strcmp(alias, "/var/an image"));
	EXPECT(iob_names_alias(n, 9 << 20 | 127, alias, sizeof(alias)) &&
	       !strcmp(alias, "data"));
	EXPECT(!iob_names_alias(n, 9 << 20 | 126, alias, sizeof(alias)));
	EXPECT(!iob_names_alias(n, 8 << 20, alias, sizeof(alias)));
	EXPECT(iob_names_find_device(n, "vg-root", &dev) && dev == 253 << 20);
	EXPECT(iob_names_find_device(n, "data", &dev) && dev == (9 << 20 | 127));
	EXPECT(!iob_names_find_device(n, "vg-home", &dev));
	iob_names_destroy(n);
	return true;
}

static bool path_is(const struct iob_names *n, uint32_t minor, const char *path,
		    const char *want)
{
	char buf[512];

	iob_names_path(n, 8 << 20 | minor, path, buf, sizeof(buf));
	if (strcmp(buf, want))
		printf("# %s: %s, not %s\n", path, buf, want);
	return !strcmp(buf, want);
}

/* 1: init's; 2: ours; 3: a container's, with a bind mount and a disk of its own. */
static bool paths_are_those_of_init(void)
{
	struct iob_names *n;
	char root[512];

	n = names_of(root, sizeof(root));
	EXPECT(n);
	put(root, "proc/1/mountinfo", "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n"
	    "2 1 8:2 /sub /srv/part rw - ext4 /dev/sda2 rw\n");
	put_link(root, "proc/1/ns/mnt", "mnt:[100]");
	put(root, "proc/self/mountinfo", "1 0 8:1 / /host rw - ext4 /dev/sda1 rw\n"
	    "2 1 8:2 / /all rw - ext4 /dev/sda2 rw\n");
	put_link(root, "proc/self/ns/mnt", "mnt:[200]");
	for (int pid = 300; pid < 302; pid++) {
		char file[64];

		snprintf(file, sizeof(file), "proc/%d/mountinfo", pid);
		put(root, file, "1 0 0:50 / / rw - overlay overlay rw\n"
		    "2 1 8:1 /var/lib/volume /data rw - ext4 /dev/sda1 rw\n"
		    "3 1 8:3 / /own rw - ext4 /dev/sdb rw\n"
		    "4 1 8:4 /deep / rw - ext4 /dev/sdc rw\n");
		snprintf(file, sizeof(file), "proc/%d/ns/mnt", pid);
		put_link(root, file, "mnt:[300]");
	}
	EXPECT(!iob_names_refresh(n) && n->mounts.nr == 4);
	EXPECT(path_is(n, 3, "/f", "/f"));
	EXPECT(!iob_names_look_around(n) && n->mounts.nr == 7);
	EXPECT(!iob_names_look_around(n) && n->mounts.nr == 7);
	/* A bind mount in the container is a directory of init's. */
	EXPECT(path_is(n, 1, "/var/lib/volume/f", "/var/lib/volume/f"));
	EXPECT(path_is(n, 2, "/sub/f", "/all/sub/f"));
	EXPECT(path_is(n, 3, "/f", "mnt:[300]/own/f"));
	EXPECT(path_is(n, 4, "/deep/f", "mnt:[300]/f"));
	EXPECT(path_is(n, 4, "/elsewhere/f", "/elsewhere/f"));
	iob_names_destroy(n);
	return true;
}

const struct unit_case names_cases[] = {
	{ "names: containers, pods and units by their cgroups", names_containers },
	{ "names: long ones are cut", long_names_fit },
	{ "names: disks of device mapper, md and loop", disks_have_aliases },
	{ "names: paths as init sees them, else with their namespace", paths_are_those_of_init },
	{}
};
