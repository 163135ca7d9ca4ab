#!/usr/bin/env bash
# Kills workers, the server and the host of calls on Temporal, and counts what ran.
#
#   bash contrib/temporal/crash.sh [ROUNDS]
#
# It installs Temporal's CLI, whose development server keeps its history in a file, in a cache
# folder, and runs the test TestCrashRounds with it: 20 rounds unless told otherwise. All
# processes are on loopback, and end with the script. Needs Go. The first time, compiling the
# CLI takes a processor about five minutes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

readonly version=v1.5.1 # later ones do not build outside their repository
readonly folder=${XDG_CACHE_HOME:-$HOME/.cache}/pegboard-ci/temporal-$version

if [[ ! -x $folder/temporal ]]; then
  GOFLAGS='' GOBIN=$folder go install "github.com/temporalio/cli/cmd/temporal@$version"
fi
PEGBOARD_TEMPORAL=$folder/temporal PEGBOARD_CRASH_ROUNDS=${1:-20} \
  go test -vet=off -count=1 -v -timeout 45m -run TestCrashRounds .
