#!/usr/bin/env bash
# What questions to a catalogue of very many pictures cost, warm; what going through all of it takes in memory; and what
# `submit catalogue check` and `rebuild` take:
#   questions.sh [PICTURES [SEED]]      1,000,000 and 1 where nothing is said
# Needs 6 kB of disk a picture below TMPDIR (/var/tmp).
# SUBMIT_QUESTIONS_FOLDER names a folder that is kept: what was filled there by an earlier call is asked again, by what is built
# now. SUBMIT_QUESTIONS_ONLY=TEXT asks only questions with that in their names. SUBMIT_QUESTIONS_PROGRAMS names a folder with
# submit and CatalogueQuestions in it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
programs=${SUBMIT_QUESTIONS_PROGRAMS:-}
if [[ -z $programs ]]; then
    scripts/install-packages.sh build >/dev/null
    for product in submit CatalogueQuestions; do
        swift build -c release --product "$product" --static-swift-stdlib >&2
    done
    programs=$(swift build -c release --static-swift-stdlib --show-bin-path)
fi
exec python3 Tests/Benchmarks/questions.py "$(realpath "$programs")" "$@"
