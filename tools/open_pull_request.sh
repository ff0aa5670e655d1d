#!/usr/bin/env bash
# Opens a pull request for releases that `tools/catalogue.py add` wrote into this checkout.
#   tools/open_pull_request.sh ENGINE REPORT
# Does nothing where nothing was added. Needs gh with GH_TOKEN, and git allowed to push.
set -euo pipefail
engine=$1
report=$2
longest=60000 # of the 65536 characters that a body may have

mapfile -t releases < <(git ls-files --others "mappings/releases/$engine" | sed 's|.*/||; s|\.json$||' | sort -V)
if ((${#releases[@]} == 0)); then
  echo "no new release of $engine"
  exit 0
fi
title="Catalogue $engine ${releases[*]}"
branch="releases/$engine-${releases[-1]}"
if git ls-remote --exit-code origin "refs/heads/$branch" > /dev/null; then
  echo "$branch is there already"
  exit 0
fi

# Outputs that list every release are written anew, and reviewed as text; then the tests say what is left to do.
python -m pytest -q tests/explaining --update-golden > /dev/null || true
tests=$(python -m pytest -q 2>&1 | tail -n 25) || true
body=$(mktemp)
{
  head -c "$longest" "$report"
  if (($(wc -c < "$report") > longest)); then
    printf '\n\n(Cut here: tools/catalogue.py changes %s OLD NEW prints all of it.)\n' "$engine"
  fi
  printf '\n### Tests\n\n    %s\n' "${tests//$'\n'/$'\n'    }"
  printf '\nChecks do not start by themselves on a pull request that a workflow opened: close and reopen it.\n'
} > "$body"

git switch --create "$branch"
git add mappings/releases tests
git -c user.name='github-actions[bot]' -c user.email='41898282+github-actions[bot]@users.noreply.github.com' \
  commit --quiet --message "$title"
git push --quiet origin "$branch"
gh pr create --base "${GITHUB_REF_NAME:-main}" --head "$branch" --title "$title" --body-file "$body"
