# SPDX-License-Identifier: Apache-2.0
"""Studies: many points, each a network on a machine, worked off by a cluster of Dask into one SQLite file."""
