#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# What stands for tracefs, and for the kernel behind it: the formats and events of a
# recording (one that is not packed) come out of an instance's ring buffer, again and
# again, until its events are disabled; then the instance can be removed.
# usage: fake_tracefs.pl RECORDING TRACEFS INSTANCE MODULE

use strict;
use warnings;
use Fcntl;
use File::Path qw(make_path remove_tree);
use POSIX qw(mkfifo);
use Time::HiRes qw(clock_gettime);

my ($recording, $dir, $instance, $module) = @ARGV;
my $page_room = 4096 - 16;
my $clock_boottime = 7;

sub put {
	my ($path, $text) = @_;
	(my $parent = $path) =~ s{/[^/]*$}{};
	make_path($parent);
	open(my $f, '>', $path) or die "$path: $!\n";
	print $f $text;
	close($f);
}

sub holds {
	my ($path, $value) = @_;
	open(my $f, '<', $path) or return 0;
	return (<$f> // '') =~ /^$value/;
}

sub page {
	my ($time, $data) = @_;
	return pack('Q<Q<', $time, length $data) . $data . "\0" x ($page_room - length $data);
}

open(my $f, '<:raw', $recording) or die "$recording: $!\n";
my $bytes = do { local $/; <$f> };
my (@events, @pages);
for (my $at = 16; $at + 12 <= length $bytes;) {
	my ($type, $len) = unpack('a4L<', substr($bytes, $at, 8));
	my $chunk = substr($bytes, $at + 12, $len);
	$at += 12 + $len;
	put("$dir/events/header_page", $chunk) if $type eq 'HEAD';
	put("$dir/events/ioblame/$1/format", $chunk) if $type eq 'FORM' && $chunk =~ /^name: (\w+)/;
	next if $type ne 'EVTS';
	while (length $chunk >= 16) {
		my $size = unpack('x12L<', $chunk);
		push @events, substr($chunk, 16, $size);
		$chunk = substr($chunk, 16 + (($size + 7) & ~7));
	}
}
my $data = '';
for my $event (@events) {
	my $padded = $event . "\0" x (-length($event) & 3);
	# No type, so the length follows; a microsecond after the one before.
	my $entry = pack('L<L<', 1000 << 5, 4 + length $padded) . $padded;
	if (length($data) + length($entry) > $page_room) {
		push @pages, $data;
		$data = '';
	}
	$data .= $entry;
}
push @pages, $data;

my $top = "$dir/instances/$instance";
put("$dir/events/ioblame/enable", '');
put("$top/$_", '') for qw(trace_clock buffer_size_kb events/ioblame/enable);
my ($nr_cpus) = `getconf _NPROCESSORS_CONF` =~ /(\d+)/;
my @out;
for my $cpu (0 .. $nr_cpus - 1) {
	my $fifo = "$top/per_cpu/cpu$cpu/trace_pipe_raw";
	put("$top/per_cpu/cpu$cpu/stats", "entries: 0\noverrun: 0\ncommit overrun: 0\nbytes: 0\ndropped events: 0\n");
	mkfifo($fifo, 0600) or die "$fifo: $!\n";
	# Open for both: what was written stays while nobody reads.
	sysopen($out[$cpu], $fifo, O_RDWR | O_NONBLOCK) or die "$fifo: $!\n";
}
put("$dir/ready", '');
my $time = 0;
select(undef, undef, undef, 0.002) until holds("$module/enable", 1);
# Whoever puts this one back waits here until there is nothing left in the instance.
unlink("$module/enable");
mkfifo("$module/enable", 0600) or die "$module/enable: $!\n";
for (my $i = 0; !holds("$top/events/ioblame/enable", 0); $i++) {
	my $now = int(clock_gettime($clock_boottime) * 1e9);
	$time = $now if $now > $time;
	$time += 1_000_000 if defined syswrite($out[0], page($time, $pages[$i % @pages]));
	select(undef, undef, undef, 0.002);
}
remove_tree($top, { keep_root => 1 });
open(my $last, '<', "$module/enable") or die "$module/enable: $!\n";
1 while <$last>;
