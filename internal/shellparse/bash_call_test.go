package shellparse_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Allow rules see past a fixed list of wrappers and harmless assignments.
func TestTextWithoutWrappers(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ line, want string }{
		"plain":                 {"npm  run\t test", "? npm run test"},
		"quotes stay":           {`npm "run" 'test' \a`, `? npm "run" 'test' \a`},
		"redirections go":       {"npm run >a test 2>&1", "? npm run test"},
		"continued":             {"npm \\\n  run", "? npm run"},
		"timeout":               {"timeout 5 npm t", "? npm t"},
		"timeout with options":  {"timeout -k 1s --signal=KILL --foreground 1.5m npm t", "? npm t"},
		"timeout glued":         {"timeout -sKILL 5 npm t", "? npm t"},
		"timeout unknown":       {"timeout --other 5 npm t", "? timeout --other 5 npm t"},
		"timeout computed":      {"timeout $x npm t", "? timeout $x npm t"},
		"timeout duration":      {"timeout npm t", "? timeout npm t"},
		"nice":                  {"nice npm t", "? npm t"},
		"nice with number":      {"nice -n 10 npm t", "? npm t"},
		"nice old":              {"nice -10 npm t", "? npm t"},
		"nice long":             {"nice --adjustment=5 npm t", "? npm t"},
		"nohup":                 {"nohup npm t", "? npm t"},
		"stdbuf":                {"stdbuf -oL -e 0 npm t", "? npm t"},
		"time":                  {"time npm t", "? npm t"},
		"time program":          {`\time npm t`, "? npm t"},
		"time program option":   {`\time -o x npm t`, `? \time -o x npm t`},
		"command":               {"command npm t", "? npm t"},
		"command -v":            {"command -v npm", "read command -v npm"},
		"command -p":            {"command -p npm", "? command -p npm"},
		"builtin":               {"builtin pwd", "read pwd"},
		"noglob":                {"noglob npm t", "? npm t"},
		"noglob reads":          {"noglob ls", "? ls"},
		"noglob of a pattern":   {"noglob ls *", "? noglob ls *"},
		"noglob behind nice":    {"nice noglob npm t", "? noglob npm t"},
		"builtin of no builtin": {"builtin npm", "? npm"},
		"xargs":                 {"xargs npm t", "? npm t …"},
		"xargs reads":           {"xargs echo a", "read echo a …"},
		"xargs with a flag":     {"xargs -n1 npm t", "? xargs -n1 npm t"},
		"several":               {"timeout 5 nice -n 3 nohup npm t", "? npm t"},
		"quoted wrapper":        {`"timeout" '5' npm t`, "? npm t"},
		"wrapper in braces":     {"timeout {5,npm} t", "? timeout {5,npm} t"},
		"not on the list":       {"npx npm t", "? npx npm t"},
		"sudo":                  {"sudo npm t", "? sudo npm t"},
		"program of builtin":    {"timeout 5 cd src", "? cd src"},
		"safe variable":         {"NODE_ENV=test CI=1 npm t", "? npm t"},
		"safe and unsafe":       {"CI=1 PATH=. npm t", "? PATH=. npm t"},
		"unsafe and safe":       {"PATH=. CI=1 npm t", "? PATH=. CI=1 npm t"},
		"unsafe":                {"GIT_DIR=x pwd", "? GIT_DIR=x pwd"},
		"lower case":            {"npm_config_x=y npm t", "? npm_config_x=y npm t"},
		"odd value":             {"LANG=/tmp/x npm t", "? LANG=/tmp/x npm t"},
		"computed value":        {"CI=$x npm t", "? CI=$x npm t"},
		"added":                 {"LANG+=x npm t", "? LANG+=x npm t"},
		"zone":                  {"TZ=Europe/Paris pwd", "read pwd"},
		"behind a wrapper":      {"timeout 5 CI=1 npm t", "? CI=1 npm t"},
		"alone":                 {"x=1 y=2", "read x=1 y=2"},
		"alone unsafe":          {"PATH=/x", "? PATH=/x"},
		"alone proxy":           {"http_proxy=h", "? http_proxy=h"},
		"export":                {"export CI=1", "read export CI=1"},
		"export unsafe":         {"export BASH_ENV=x", "? export BASH_ENV=x"},
		"export lower":          {"export x=1; y", "? y"},
		"typeset -x":            {"typeset -x PAGER=x", "? typeset -x PAGER=x"},
		"path":                  {"./ls", "? ./ls"},
		"home":                  {"~/bin/ls", "? ~/bin/ls"},
		"empty name":            {"'' a", "? '' a"},
		"eval":                  {"eval pwd", "? eval pwd"},
		"exec":                  {"exec pwd", "? exec pwd"},
		"echo":                  {"echo $TERM $(pwd) *", "read echo $TERM $(pwd) *"},
		"printf":                {"printf '%s' $TERM", "read printf '%s' $TERM"},
		"printf -v":             {"printf -v a x", "? printf -v a x"},
		"jobs -x":               {"jobs -x npm", "? jobs -x npm"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := texts(parse(tt.line))
			require.NotEmpty(t, got)
			require.Equal(t, tt.want, got[len(got)-1])
		})
	}
}

func TestXargsKeepsExactRulesAway(t *testing.T) {
	t.Parallel()
	l := parse("echo -f evil.mk | xargs make build")
	require.Equal(t, "make build …", l.Commands[1].Text)
	require.Contains(t, l.Commands[1].Nested, "make build")
}
