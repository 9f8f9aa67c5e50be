/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOBLAME_VERSION_H
#define IOBLAME_VERSION_H

#define IOBLAME_VERSION "0.1.0"

#endif /* IOBLAME_VERSION_H */
