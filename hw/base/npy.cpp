// SPDX-License-Identifier: Apache-2.0
#include "hw/base/npy.hpp"
