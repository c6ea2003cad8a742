# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tl.extra: functions of the chips' own libraries."""

from . import cuda, libdevice  # noqa: F401
