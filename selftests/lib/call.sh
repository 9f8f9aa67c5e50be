#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# call.sh FUNCTION ARG...: a function a test has exported, as a program of its
# own, for tools that trace a command.

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${0%/*}/../lib.sh"
"$@"
