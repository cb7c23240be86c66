# SPDX-License-Identifier: Apache-2.0
"""The networks, by family. Each is a function build(net, rng) registered by name with a line that says what it is."""

NETWORKS = {}  # name -> (what, build, options of Network)


def network(name, what, **options):
    def register(build):
        assert name not in NETWORKS, name
        NETWORKS[name] = (what, build, options)
        return build

    return register
