package security_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/script"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// evaluations are lines in which bash may run what stands in a word that is no command:
// an index, an operand of a calculation, an option of a builtin, another name of a
// program. Not all of them do.
var evaluations = []string{
	`true & wait -n -p 'a[$(touch m)]'`, `true & wait -p 'a[$(touch m)]' -n`, `true & wait -np 'a[$(touch m)]'`, `true & x='a[$({touch,m})]'; wait -n -p $x`,
	`true & x='-pa[$({touch,m})]'; wait -n $x`, `wait 'a[$(touch m)]'`, `true & x='a[$(touch m)]'; wait -n -p "$x"`,
	`read 'a[$(touch m)]' <<< 1`, `read -t 'a[$(touch m)]' x <<< 1`, `read -n 'a[$(touch m)]' x <<< 1`, `read -a 'a[$(touch m)]' <<< 1`, `read -u 'a[$(touch m)]' x <<< 1`,
	`printf -v 'a[$(touch m)]' x`, `printf -va[\$\(touch\ m\)] x`, `printf -- -v 'a[$(touch m)]' x`, `printf '%d' 'a[$(touch m)]'`, `printf '%(%s)T' 'a[$(touch m)]'`, `printf '%*s' 'a[$(touch m)]' x`,
	`printf -v 'b[a[$(touch m)]]' x`, `test -v 'a[$(touch m)]'`, `[ -v 'a[$(touch m)]' ]`, `[ ! -v 'a[$(touch m)]' ]`, `test x -a -v 'a[$(touch m)]'`, `[[ -v 'a[$(touch m)]' ]]`, `[[ -v a[\$(touch m)] ]]`,
	`[[ 'a[$(touch m)]' -eq 1 ]]`, `[ 'a[$(touch m)]' -eq 1 ]`, `test -t 'a[$(touch m)]'`, `[[ -t 'a[$(touch m)]' ]]`, `test -R 'a[$(touch m)]'`, `[[ -R 'a[$(touch m)]' ]]`, `test 1 -eq 'a[$(touch m)]'`,
	`unset 'a[$(touch m)]'`, `a=(1); unset 'a[$(touch m)]'`, `a=(1); unset -v 'a[$(touch m)]'`,
	`declare -n r='a[$(touch m)]'; echo $r`, `declare -n r='a[$(touch m)]'; r=1`, `declare 'a[$(touch m)]'=1`, `declare -i x='a[$(touch m)]'`, `declare -i n; n='a[$(touch m)]'`, `declare -a b; b['a[$(touch m)]']=1`,
	`f() { local 'a[$(touch m)]'=1; }; f`, `export 'a[$(touch m)]'=1`, `readonly 'a[$(touch m)]'=1`, `typeset 'a[$(touch m)]'=1`, `typeset -n r='a[$(touch m)]'; echo "${r}"`,
	`let 'a[$(touch m)]'`, `let 'x=a[$(touch m)]'`, `(( a[$(touch m)] ))`, `echo $(( a[$(touch m)] ))`, `x='a[$(touch m)]'; echo $((x))`, `x='a[$(touch m)]'; echo $[x]`, `x='a[$(touch m)]'; ((x))`,
	`x='a[$(touch m)]'; echo ${!x}`, `x='a[$(touch m)]'; echo "${!x}"`, `x='a[$(touch m)]'; echo ${b[x]}`, `x='a[$(touch m)]'; echo ${b[$x]}`, `y=abc; x='a[$(touch m)]'; echo ${y:x}`, `y=abc; x='a[$(touch m)]'; echo ${y:0:x}`,
	`b=(1); x='a[$(touch m)]'; echo "${b[@]:x}"`, `x='a[$(touch m)]'; for ((i=x;i<0;i++)); do :; done`, `x='a[$(touch m)]'; while ((x)); do break; done`,
	`mapfile -C 'touch m;' -c 1 q <<< 1`, `mapfile -n 'a[$(touch m)]' <<< 1`, `readarray -C 'touch m #' -c1 q <<< 1`, `getopts a 'a[$(touch m)]' -a`, `getopts a x 'a[$(touch m)]'`,
	`shift 'a[$(touch m)]'`, `exit 'a[$(touch m)]'`, `f() { return 'a[$(touch m)]'; }; f`, `for i in 1; do break 'a[$(touch m)]'; done`, `kill 'a[$(touch m)]'`, `kill -n 'a[$(touch m)]' 1`,
	`ulimit -n 'a[$(touch m)]'`, `umask 'a[$(touch m)]'`, `history 'a[$(touch m)]'`, `fc 'a[$(touch m)]'`, `jobs 'a[$(touch m)]'`, `pushd +'a[$(touch m)]'`, `popd +'a[$(touch m)]'`, `dirs +'a[$(touch m)]'`,
	`trap 'a[$(touch m)]' EXIT`, `compgen -W '$(touch m)' x`, `compgen -W 'a[$(touch m)]' x`, `compgen -C 'touch m' x`, `f() { touch m; }; compgen -F f x`, `complete -W 'a[$(touch m)]' x`,
	`exec {a[$(touch m)]}>/dev/null`, `cat < /dev/null {a[$(touch m)]}>&1`, `x='$(touch m)'; echo ${x@P}`, `x='$(touch m)'; echo "${x@P}"`, `PS4='$(touch m)'; set -x; :`, `PS0='$(touch m)'; :`,
	`echo ${a[$(touch m)]}`, `echo ${#a[$(touch m)]}`, `a[$(touch m)]=1`, `a=([$(touch m)]=1)`, `a=1; printf '%s' "${a['a[$(touch m)]']}"`, `declare -A h; h[$(touch m)]=1`, `declare -A h; x='$(touch m)'; ((h[$x]=1))`,
	`RANDOM='a[$(touch m)]'; :`, `SRANDOM='a[$(touch m)]'; :`, `SECONDS='a[$(touch m)]'; :`, `HISTCMD='a[$(touch m)]'; :`, `LINENO='a[$(touch m)]'; :`, `OPTIND='a[$(touch m)]'; getopts a x`, `BASHPID='a[$(touch m)]'; :`,
	`export RANDOM='a[$(touch m)]'`, `for RANDOM in 'a[$(touch m)]'; do :; done`, `read RANDOM <<< 'a[$(touch m)]'`, `printf -v RANDOM '%s' 'a[$(touch m)]'`, `RANDOM='a[$(touch m)]' true`, `: ${RANDOM:='a[$(touch m)]'}`,
	`hash -p "$(command -v touch)" t; t m`, `alias t=touch; shopt -s expand_aliases; eval 't m'`, `BASH_ALIASES[t]=touch; shopt -s expand_aliases; eval 't m'`, `t() { touch "$@"; }; t m`,
	`ln -s "$(command -v touch)" t; ./t m`, `ln -s $(which touch) t; ./t m`, `cp /usr/bin/touch t; ./t m`, `cp /usr/bin/[t]ouch t; ./t m`, `mv -n t u; cp -f -v /bin/touch t; ./t m`, `cat /usr/bin/touch > t; chmod +x t; ./t m`,
	`cd /usr/bin; cp touch "$OLDPWD/t"; cd - >/dev/null; ./t m`, `ln -s /usr/bin b; b/touch m`, `ln -s ../../../../../../../../usr/bin/touch t; ./t m`, `install /usr/bin/touch t; ./t m`, `dd if=/usr/bin/touch of=t status=none; chmod +x t; ./t m`,
	`ln -s /usr/bin b; ln -s b/touch t; ./t m`, `ln -s /usr/bin/env e; ./e touch m`, `cp -r /usr/bin/touch t; ./t m`,
	`$"touch" m`, `$"to"uch m`, `command $"touch" m`, `command_not_found_handle() { touch m; }; nosuchcommand`, `enable -n echo; echo() { touch m; }; echo`,
}

// indirections are lines in which another program may run a command that stands in a
// variable, in an option, or in a text of its own language.
var indirections = []string{
	`CC='touch m;' make -s x.o`, `CC='touch m #' make x.o`, `make CC='touch m #' x.o`, `make -e CC='touch m #' x.o`, `export CC='touch m #'; make x.o`, `CC='touch m #'; export CC; make x.o`, `declare -x CC='touch m #'; make x.o`,
	`env CC='touch m #' make x.o`, `env -i PATH="$PATH" 'CC=touch m #' make x.o`, `CC="$(echo touch) m #" make x.o`, `x='touch m #'; CC=$x make x.o`, `make 'X=$(shell touch m)' x`, `make --eval='$(shell touch m)' x.o`, `make --eva '$(shell touch m)' x.o`,
	`MAKEFLAGS='--eval=$(shell\ touch\ m)' make x`, `make -f <(printf 'x:\n\ttouch m\n')`, `printf 'x:\n\ttouch m\n' | make -f -`, `make -f- <<< $'x:\n\ttouch m'`, `make -sf /dev/stdin <<< $'x:\n\ttouch m'`, `AS='touch m #' make -e y.o`,
	`SHELL='touch' make -e SHELL=/bin/touch x`, `TAR_OPTIONS='--checkpoint=1 --checkpoint-action=exec=touch\ m' tar cf /dev/null x.c`, `export TAR_OPTIONS='--checkpoint=1 --checkpoint-action=exec=touch\ m'; tar cf /dev/null x.c`,
	`C='touch m' awk 'BEGIN{system(ENVIRON["C"])}'`, `awk -v c='touch m' 'BEGIN{system(c)}'`, `awk 'BEGIN{system("touc" "h m")}'`, `awk 'BEGIN{"touch m"|getline}'`, `echo 'touch m' | awk '{system($0)}'`, `awk 'BEGIN{c="tou"; c=c "ch m"; print | c}'`,
	`split --filter='touch m' x.c`, `split --fil 'touch m' x.c`, `zip -q a.zip x.c -T --unzip-command='touch m #'`, `zip -q a.zip x.c -T -TT 'touch m #'`, `zip -qTTT 'touch m #' a.zip x.c`,
	`env 'BASH_FUNC_ls%%=() { touch m; }' bash -c ls`, `BASH_ENV=<(echo touch m) bash -c :`, `PROMPT_COMMAND='touch m' bash -i -c :`, `PS4='$(touch m)' bash -xc :`, `env PS4='$(touch m)' bash -xc :`,
	`ed -s <<< '!touch m'`, `printf '!touch m\n' | ed -s`, `ed -s << 'E'
!touch m
E`, `ed -s < <(echo '!touch m')`, `sqlite3 :memory: '.shell touch m'`, `sqlite3 :memory: <<< '.system touch m'`, `echo '.shell touch m' | sqlite3`, `sqlite3 -cmd '.shell touch m' :memory: ''`,
	`gdb -batch -ex 'shell touch m'`, `gdb -batch -ex '!touch m'`, `gdb -batch -ex 'python import os; os.system("touch m")'`, `ex -s -c '!touch m' -c q`, `vim -es -c 'call system("touch m")' -c q`, `vim -es '+!touch m' +q`,
	`python3 -c 'import os;os.system("touch m")'`, `python3 -c 'import subprocess as s;s.run(["touch","m"])'`, `python3 -c 'import os;os.system("tou"+"ch m")'`, `python3 <<< 'import os;os.system("touch m")'`, `python3 - << 'E'
import subprocess
subprocess.run(["touch", "m"])
E`, `echo 'import os;os.system("touch m")' | python3`, `python3 -m timeit -n1 -r1 'import os;os.system("touch m")'`, `python3 -c "exec('import os;os.system(\"touch m\")')"`, `base64 -d <<< aW1wb3J0IG9zO29zLnN5c3RlbSgidG91Y2ggbSIp | python3`,
	`perl -e 'system "touch m"'`, "perl -e '`touch m`'", `perl -e 'exec qw(touch m)'`, `perl -e 'open F, "touch m|"; <F>'`, `perl <<< 'system("touch m")'`, `perl -we 'qx{touch m}'`,
	`node -e 'require("child_process").execSync("touch m")'`, `node -e 'require("child_process").spawnSync("touch",["m"])'`, `node -p 'require("child_process").execFileSync("touch",["m"])'`, `echo 'require("child_process").execSync("touch m")' | node`,
	`npm exec -c 'touch m'`, `npm exec --call='touch m'`, `npm_config_call='touch m' npm exec`, `npx -c 'touch m'`, `echo 'touch m' | xargs -I{} sh -c '{}'`, `xargs -a <(echo touch m) env`, `find . -maxdepth 0 -exec touch m \;`, `LESSOPEN='|touch m' less x.c`,
	`MANPAGER='touch m #' man ls`, `VISUAL='touch m #' crontab -e`, `time -o /dev/null touch m`, `watch -n1 -e 'touch m; false'`, `script -qc 'touch m' /dev/null`, `setsid -w touch m`, `stdbuf -oL touch m`, `tar cf /dev/null x.c -I 'touch m #'`, `sed -n '1e touch m' x.c`, `sed '1s/.*/touch m/e' x.c`,
}

// TestEvaluationsUnderDeny runs each line in bash. One that ran the denied command is not
// allowed, neither in bypass mode nor with Bash allowed.
func TestEvaluationsUnderDeny(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	files := map[string]string{"x.c": "int main(){}\nb\nc\n", "y.s": "\n", "t.sh": "#!/bin/sh\ntouch m\n", "Makefile": "x:\n\t$(X)\n\techo\n"}
	acted := 0
	for _, line := range slices.Concat(evaluations, indirections) {
		dir := t.TempDir()
		for name, text := range files {
			script.Write(t, filepath.Join(dir, name), text)
		}
		ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
		cmd := exec.CommandContext(ctx, bash, "-c", line)
		cmd.Dir, cmd.Env = dir, []string{"PATH=/usr/bin:/bin", "HOME=" + dir, "TERM=dumb"}
		_ = cmd.Run() // many of the lines fail
		stop()
		if _, err := os.Stat(filepath.Join(dir, "m")); err != nil {
			t.Logf("does nothing here: %s", line)
			continue
		}
		acted++
		requireTouchSeen(t, t.TempDir(), line)
	}
	require.Greater(t, acted, 100, "bash ran fewer of the lines than expected")
}

// requireTouchSeen requires that a line is not allowed where touch is denied.
func requireTouchSeen(t *testing.T, dir, line string) {
	t.Helper()
	noTouch := []string{"Bash(touch:*)"}
	for mode, set := range map[policy.Mode]policy.RuleSet{
		policy.ModeBypass:  {Deny: noTouch},
		policy.ModeDefault: {Deny: noTouch, Allow: []string{"Bash"}},
	} {
		s := newSession(t, pegboard.SessionConfig{Dir: dir, Home: dir, Permissions: permissions(t, mode, set)})
		d := pool(t, s, shell.Bash(shell.Options{})).Decide(t.Context(), call(t, "Bash", map[string]string{"command": line}))
		if d.Behavior == policy.Allow {
			t.Errorf("%q in mode %s: %s", line, mode, d.Reason)
		}
	}
}
