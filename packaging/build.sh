#!/bin/sh
# Build what people install into dist/: wheel, source archive, one file, list of parts, man pages, completions.
# Needs Python 3.11 or newer with pip and venv; everything else comes from the locks beside this file.
set -eu
cd "$(dirname "$0")/.."
work=build/packaging
rm -rf "$work" dist
mkdir -p "$work" dist
python3 -m venv "$work/venv"
bin="$work/venv/bin"
"$bin/pip" install -q -r packaging/tools.lock
"$bin/pip" install -q -r packaging/run.lock

"$bin/python" -m hatchling build -d dist >/dev/null
wheel=$(ls dist/*.whl)
"$bin/pip" install -q --no-deps "$wheel"

# One file: the runtime of the lock and the wheel, unpacked once into ~/.cache at its first start.
"$bin/pip" install -q --no-deps --target "$work/site" -r packaging/run.lock
"$bin/pip" install -q --no-deps --upgrade --target "$work/site" "$wheel"
"$bin/python" -m shiv --site-packages "$work/site" -c crossdesk -p "/usr/bin/env python3" --compressed \
    --root "~/.cache/crossdesk" -o dist/crossdesk.pyz

# List of parts (CycloneDX) of what runs, with the hashes of the lock.
"$bin/python" -W ignore -m cyclonedx_py requirements packaging/run.lock --pyproject pyproject.toml --mc-type application \
    --output-reproducible --spec-version 1.6 -o dist/crossdesk.cdx.json

mkdir -p dist/man dist/completion
"$bin/python" packaging/man_pages.py dist/man
for shell in bash zsh fish; do
    _CROSSDESK_COMPLETE="${shell}_source" "$bin/crossdesk" > "dist/completion/crossdesk.$shell" 2>/dev/null || true
    test -s "dist/completion/crossdesk.$shell" || { echo "no completion for $shell" >&2; exit 1; }
done
ls -l dist
