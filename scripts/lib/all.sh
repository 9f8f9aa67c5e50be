# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Every part, for the scripts that build or boot something.

# shellcheck source=common.sh
. "${BASH_SOURCE[0]%/*}/common.sh"
# shellcheck source=matrix.sh
. "$here/lib/matrix.sh"
# shellcheck source=archive.sh
. "$here/lib/archive.sh"
# shellcheck source=entry.sh
. "$here/lib/entry.sh"
# shellcheck source=tree.sh
. "$here/lib/tree.sh"
# shellcheck source=inside.sh
. "$here/lib/inside.sh"
# shellcheck source=debug.sh
. "$here/lib/debug.sh"
# shellcheck source=image.sh
. "$here/lib/image.sh"
# shellcheck source=product.sh
. "$here/lib/product.sh"
# shellcheck source=accel.sh
. "$here/lib/accel.sh"
