package security_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
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

// TestEvaluationsUnderDeny runs each line in bash. One that ran the denied command is not
// allowed, neither in bypass mode nor with Bash allowed.
func TestEvaluationsUnderDeny(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	acted := 0
	for _, line := range evaluations {
		dir := t.TempDir()
		cmd := exec.CommandContext(t.Context(), bash, "-c", line)
		cmd.Dir, cmd.Env = dir, []string{"PATH=/usr/bin:/bin", "HOME=" + dir}
		_ = cmd.Run() // many of the lines fail
		if _, err := os.Stat(filepath.Join(dir, "m")); err != nil {
			continue
		}
		acted++
		requireTouchSeen(t, t.TempDir(), line)
	}
	require.Greater(t, acted, 60, "bash ran fewer of the lines than expected")
}

// requireTouchSeen requires that a line is not allowed where touch is denied.
func requireTouchSeen(t *testing.T, dir, line string) {
	t.Helper()
	noTouch := []string{"Bash(touch:*)"}
	for mode, set := range map[pegboard.Mode]pegboard.RuleSet{
		pegboard.ModeBypass:  {Deny: noTouch},
		pegboard.ModeDefault: {Deny: noTouch, Allow: []string{"Bash"}},
	} {
		s := newSession(t, pegboard.SessionConfig{Dir: dir, Home: dir, Permissions: permissions(t, mode, set)})
		d := pool(t, s, shell.Bash(shell.Options{})).Decide(t.Context(), call(t, "Bash", map[string]string{"command": line}))
		if d.Behavior == pegboard.Allow {
			t.Errorf("%q in mode %s: %s", line, mode, d.Reason)
		}
	}
}
