# SPDX-License-Identifier: GPL-2.0-only
"""The two ways in which a command does not do what it was asked: one sentence each."""


class Refused(Exception):
    """Exit status 1: understood, but not done; everything is as it was."""


class WrongUse(Exception):
    """Exit status 2: wrong use, or a missing tool or file."""
