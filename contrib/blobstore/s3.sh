#!/usr/bin/env bash
# Runs the tests of the store against a real S3 server, versitygw, on loopback.
#
#   bash contrib/blobstore/s3.sh
#
# It installs the server in a cache folder, starts it on a free port over a temporary folder,
# and ends it. Needs Go, node, 3 GB below the folder of temporary files, whose file system has
# extended attributes, and about three minutes the first time. PEGBOARD_EFFORT is 100 if unset.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

readonly version=v1.8.0
readonly folder=${XDG_CACHE_HOME:-$HOME/.cache}/pegboard-ci/versitygw-$version
readonly access=test secret=testsecret

if [[ ! -x $folder/versitygw ]]; then
  GOFLAGS='' GOBIN=$folder go install "github.com/versity/versitygw/cmd/versitygw@$version"
fi
scratch=$(mktemp -d)
trap 'kill "${server:-}" 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$scratch"' EXIT
mkdir -p "$scratch/data/results"
port=$(node -e "const s=require('net').createServer().listen(0,'127.0.0.1',()=>{console.log(s.address().port);s.close()})")
ROOT_ACCESS_KEY=$access ROOT_SECRET_KEY=$secret "$folder/versitygw" --port "127.0.0.1:$port" posix "$scratch/data" >"$scratch/log" 2>&1 &
server=$!
go test -c -o "$scratch/tests" . # compiling is not a part of the time below
for ((i = 0; ; i++)); do
  ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
  if ((i == 300)) || ! kill -0 "$server"; then
    echo "versitygw has not started:" && tail -20 "$scratch/log" && exit 1
  fi
  sleep 0.1
done
PEGBOARD_S3=http://$access:$secret@127.0.0.1:$port PEGBOARD_EFFORT=${PEGBOARD_EFFORT:-100} \
  "$scratch/tests" -test.timeout 10m -test.v -test.run '^TestRealService' || { tail -20 "$scratch/log"; exit 1; }
