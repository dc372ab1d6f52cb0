#!/usr/bin/env bash
# Looks whether all Swift is formatted as .swift-format says, and prints where it is not; changes nothing.
# `swift format --in-place --parallel --recursive FILE…` formats.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
command -v swift >/dev/null || { echo "There is no Swift compiler: https://www.swift.org/install/linux/" >&2; exit 1; }
exec swift format lint --strict --parallel --recursive Sources Plugins Templates Tests Package.swift
