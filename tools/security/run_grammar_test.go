package security_test

import "strings"

// ways are the words of a text that is written with blanks between them.
func ways(text string) []string { return strings.Fields(text) }

// lines are the lines of a text.
func lines(text string) []string { return strings.Split(strings.Trim(text, "\n"), "\n") }

// grammar is what lines are made of. The first way of each part needs no other
// part, or only parts that end.
var grammar = map[string][]string{
	"line": append(lines(`
‹command›
‹command› | ‹command›
‹command› ‹redirect›
‹redirect› ‹command›
‹command› && ‹command›
‹command›; ‹command›
‹command› || ‹command›
‹command› |& ‹command›
‹command› & ‹command›
(‹list›)
{ ‹list›; }
! ‹command›
time ‹command›
time -p ‹command›
‹assign› ‹command›
‹assign›; ‹command›
‹assign›; ‹command› $‹var›
‹assign›; ‹command› "$‹var›"
‹assign›; $‹var› ‹file›
if ‹list›; then ‹list›; else ‹list›; fi
if ‹list›; then ‹list›; elif ‹list›; then ‹list›; fi
while ‹command›; do ‹list›; break; done
until ‹command›; do ‹list›; break; done
for ‹var› in ‹words›; do ‹command› $‹var›; done
for ‹var› in ‹words›; do ‹command› "$‹var›"; done
for ‹var› do ‹command›; done
for ((‹var›=0; ‹var›<2; ‹var›++)); do ‹command›; done
select ‹var› in ‹words›; do ‹command›; done
case ‹word› in ‹word›) ‹list›;; *) ‹list›;; esac
case ‹word› in (‹word›|‹word›) ‹list›;& *) ‹list› ;; esac
case ‹word› in ‹plain›) ‹command› ;;& esac
‹name›() { ‹list›; }; ‹name›
‹name›() (‹list›); ‹name› ‹words›
function ‹name› { ‹list›; }; ‹name›
function ‹name›() ‹list›
[[ ‹condition› ]] && ‹command›
[[ ‹condition› ]]; ‹command›
test ‹test› && ‹command›
[ ‹test› ] || ‹command›
(( ‹number› )); ‹command›
cd ‹file› && ‹command›
cd ‹folder› && ‹command›
cd ‹folder› && ‹command› *
(cd ‹folder›; ‹command›); ‹command›
pushd ‹folder› && ‹command›
cd ‹folder›; ‹command›
coproc ‹command›
‹command› | while read -r ‹var›; do ‹command›; done
‹command› | while read ‹var›; do ‹command› "$‹var›"; done
read ‹var› < ‹file›; ‹command› $‹var›
‹command› | ‹filter›
‹command› | ‹filter› | ‹filter›
‹command› | tee
‹command› | xargs ‹command›
‹wrapper› ‹command›
‹wrapper› ‹wrapper› ‹command›
‹command› $(‹list›)
‹command› "$(‹list›)"
‹command› ‹backquote›‹command›‹backquote›
‹command› <(‹list›)
‹command› <(‹list›) >(‹list›)
‹command› $((‹number›))
‹command› "${‹var›‹operator›}"
‹command› ${‹var›‹operator›}
‹command› # ‹hostile›
‹command› #‹hostile›
‹command› '‹hostile›'
‹command› "‹hostile›"
‹command› $'‹hostile›'
echo '‹hostile›'
echo "‹hostile›" | ‹filter›
echo ‹words›
printf '%s\n' ‹words›
set -e; ‹list›
set -‹letter›; ‹list›
shopt -s ‹option›; ‹command›
trap '‹hostile›' ‹signal›; ‹command›
eval ‹'command›
exec ‹redirect›; ‹command›
‹command› -- ‹words›
`), "‹command›\n‹command›", "‹command› # x\n‹command›", "‹command› \\\n ‹words›", "‹command› |\n‹command›", "# ‹hostile›\n‹command›",
		"‹reader› <<EOF\n‹body›\nEOF", "‹reader› <<'EOF'\n‹body›\nEOF", "‹reader› <<\"EOF\"\n‹body›\nEOF\n‹command›", "‹reader› <<-EOF\n\t‹body›\n\tEOF",
		"‹reader› <<\\EOF\n‹body›\nEOF\n", "‹reader› <<E''OF\n‹body›\nEOF\n‹command›", "‹reader› <<A <<B\n‹body›\nA\n‹body›\nB", "‹reader› <<EOF | ‹filter›\n‹body›\nEOF",
		"‹reader› <<EOF && ‹command›\n‹body›\nEOF", "‹reader› <<'E F'\n‹body›\nE F\n‹command›", "‹reader› <<$x\n‹body›\n$x\n‹command›", "‹reader› <<EOF\n‹body›\n EOF\nEOF \nEOF\n‹command›",
		"(‹reader› <<EOF\n‹body›\nEOF\n)", "‹command› $(‹reader› <<EOF\n‹body›\nEOF\n)", "‹reader› <<EOF\n‹body›", "‹reader› <<'EOF'\n‹body›\\\nEOF\n‹command›\nEOF"),
	"backquote": {"`"},
	"list":      lines("\n‹command›\n‹command›; ‹command›\n‹command› && ‹command›\n‹command› || ‹command›\n‹command› | ‹filter›\n‹line›\n"),
	"joint":     {"; ", " && ", " || ", " | ", "\n", " & ", " ;", "&&", " # ", " \\\n", " |\n", " 2>&1 | ", " >/dev/null; "},
	"word":      {"‹file›", "‹'file›", "‹text›", "‹'text›", "‹'flag›", "‹flag›", "‹expansion›", "‹'hostile›"},
	"words":     {"‹word›", "‹word›", "‹word› ‹word›", "‹file› ‹file›", "‹word› ‹word› ‹word›", "‹folder›/*", "‹expansion›"},
	"file":      {"‹plain›", "‹plain›", "‹plain›", "‹plain›", "‹'plain›", "‹glob›", "‹odd›", "‹folder›/‹plain›"},
	"plain":     ways("data.txt README.md docs/notes.txt src/a.go config.json app.log data.csv ./data.txt src/b.go go.mod package.json main.go . src docs"),
	"folder":    ways("src docs . .. ./src flags more sums zero evil bare tool linked self ./. docs/.. -"),
	"glob":      ways("*.txt src/* d* ?ata.txt [a-d]*.txt * ./* {data.txt,README.md} {src,docs}/* data.{txt,csv} src/[ab].go *.{go,txt} [!x]*.md **/* {1..3} flags/* more/* .* [[:alpha:]]*.txt"),
	"odd": ways(`- -- -o -n -R --output=pwned nosuch ../out/secret.txt outlink linked/secret.txt self/data.txt ~/.bashrc ~ ~/.ssh/id_rsa $HOME/.bashrc "$PWD/data.txt"
		$PWD/data.txt ~+/data.txt ~- ../proj/data.txt src/../data.txt .git/HEAD .git/index HEAD main other v1 HEAD~1 @{u} a\ b.txt 'a\ b.txt' "a?b.txt" +x @args x=1 evil.sh ./evil.sh :/ :!src /dev/null
		/dev/stdin /dev/fd/0 /dev/tty /dev/stdout /proc/self/environ /etc/hostname list0 program pwned "" '' "$(pwd)/data.txt" $0 $$ $! "$@" $* !$ ^a^b data.txt; {} + \; ( !`),
	"text": ways(`x a 1 10 -1 +2 TODO 'hello world' "a b" 's/a/b/' '%s' 1,2 '/a/' p '{print}' . .a 'a|b' \* \' '"' '$x' a=b a:b @x %H ',' '\n' 日本 0x1f 1d`),
	"flag": ways(`-n -l -a -r -i -o -c -e -f -s -v -w -x -z -R -L -0 -1 -5 -n1 -n5 -la -rn -no -ro --help --version --output=pwned --output --out=pwned -opwned -o=pwned -ofpwned
		--in-place --files0-from=list0 --files0-from=- --pre=./evil.sh --compress-program=./evil.sh --exec=./evil.sh -exec --null --recursive --color=always --color -- - -fpwned -f program --file=program --from-file=program -e1 -E -u -U3 -p -d, -t: -k2 -F, -vx=1 -C src -C evil -I{} -P2 -T -S
		-delete -print -print0 -name -type -O -Ols --open-files-in-pager=ls --ext-diff --textconv --no-index --contents=pwned -w80 -A1 -B1 -m1 --no-pager --git-dir=evil/.git -X --dereference`),
	"var":       ways("x x y cat ls PATH IFS HOME PWD OLDPWD BASH_ENV ENV PAGER GIT_PAGER LESSOPEN GIT_DIR GIT_EXTERNAL_DIFF LC_ALL TZ PS4 PROMPT_COMMAND 1 @ * # ? ! a[0] _ REPLY RANDOM SHELLOPTS BASH_CMDS CDPATH GLOBIGNORE TMPDIR LD_PRELOAD"),
	"name":      ways("f f g cat ls git echo cd test [ f-g :"),
	"letter":    ways("e u x v f o n a k T B H m p euo eu"),
	"option":    ways("extglob nullglob dotglob globstar expand_aliases lastpipe failglob nocaseglob"),
	"signal":    ways("EXIT DEBUG ERR 0 INT RETURN"),
	"number":    ways("1 1+1 x x+1 a[0] a[$(touch_pwned)] 1?2:3 x=1 ++x 16#ff 010 $x $(echo\u00a01) 1,2 !1 ~1 x[1]"),
	"operator":  ways(":-x :=x -x +x :+x :?x ?x #a ##a %a %%a /a/b //a/b ^ ^^ , ,, @Q @P @A @E :0 :0:1 [0] [@] :-$(touch\u00a0pwned) =$(touch${IFS}pwned) :-`touch${IFS}pwned`"),
	"assign":    lines("\nx=‹file›\nx=‹'file›\nx='‹hostile›'\nx=$(‹command›)\n‹var›=‹file›\n‹var›=.:$PATH\nLC_ALL=C\nTZ=UTC\nx+=‹file›\nx=(‹words›)\nx[0]=‹file›\nx[$(‹command›)]=1\nexport x=‹file›\nexport ‹var›=‹file›\ndeclare x=‹file›\ndeclare -i x=‹number›\nlocal x=1\nreadonly x=‹file›\nunset ‹var›\nread x <<< ‹file›\nx=1 y=‹text›\nprintf -v x ‹text›\nx= \nIFS=,\nLESSOPEN='|./evil.sh %s'\nGIT_EXTERNAL_DIFF=./evil.sh\nPAGER=./evil.sh\n"),
	"expansion": lines("\n$x\n\"$x\"\n${x}\n$(‹command›)\n\"$(‹command›)\"\n`‹command›`\n\"`‹command›`\"\n<(‹command›)\n>(‹command›)\n$((‹number›))\n$[‹number›]\n${x‹operator›}\n\"${x‹operator›}\"\n~/‹plain›\n$HOME/‹plain›\n\"$HOME\"\n$PWD/‹plain›\n$(<‹file›)\n\"$@\"\n!(‹plain›)\n@(‹plain›)\n{‹plain›,‹flag›}\n{-,‹plain›}\n$'\\x2d'n\n${!x}\n${#x}\n$(( $(‹command›) ))\n\"$(echo \"$(‹command›)\")\"\n"),
	"redirect": lines("\n2>/dev/null\n2>&1\n>/dev/null\n< ‹file›\n<‹file›\n<<< ‹word›\n<<<‹word›\n&>/dev/null\n>&2\n1>&2\n<&0\n2>&-\n0<&-\n>/dev/stdout\n>/dev/fd/1\n3< ‹file›\n<> ‹file›\n0<>‹file›\n> pwned\n>pwned\n>>pwned\n>|pwned\n&>pwned\n&>>pwned\n>&pwned\n<&‹file›\n{fd}>pwned\n{fd}<‹file›\n2>pwned\n2>>‹file›\n>&1pwned\n>/dev/null/../pwned\n>/dev/../$PWD/pwned\n>$x\n>\"$x\"\n>'‹plain›'\n> ~/pwned\n>/dev/tcp/127.0.0.1/80\n</dev/tcp/127.0.0.1/80\n>(‹command›)\n<(‹command›)\n< <(‹command›)\n> >(‹command›)\n9>&1 >&9\n>&-\n>/dev/nul?\n>/dev/{null,full}\n2>&1 >pwned\n>\\&1\n>& 1\n>&$x\n"),
	"condition": lines("\n-f ‹file›\n-n ‹word›\n‹word› == ‹word›\n‹word› = ‹glob›\n‹word› =~ ‹text›\n‹word› -eq ‹number›\n1 -lt 2\n-v ‹var›\n-v x[$(‹command›)]\n! -e ‹file›\n-z $(‹command›)\n( -d ‹file› && ‹word› != ‹word› )\n‹file› -nt ‹file›\n-t 1\n-o nounset\n‹word› < ‹word›\n$x -eq 1\n"),
	"test":      lines("\n-f ‹file›\n-n ‹word›\n‹word› = ‹word›\n1 -eq 2\n! -e ‹file›\n-d ‹file› -a -n ‹word›\n‹word› -eq ‹number›\n-v x[$(‹command›)]\n‹word› > ‹word›\n‹words›\n-v ‹var›\n-z\n"),
	"hostile":   {"touch pwned", "; touch pwned", "$(touch pwned)", "`touch pwned`", "./evil.sh", "&& ./evil.sh", "| ./cat", "> pwned", "x\ntouch pwned", "\\", "' ; touch pwned '", "\\'; touch pwned; \\'", "\"; touch pwned; \"", "${x:=$(touch pwned)}", "*/ touch pwned", "} ; touch pwned", ") ; touch pwned", "EOF\ntouch pwned", "\\\ntouch pwned", "\u00a0touch pwned", "!touch", "a[$(touch pwned)]", "\\n touch pwned", "# \\\ntouch pwned", "'", "\"", "<(touch pwned)", "\\$(touch pwned)", "\\\\$(touch pwned)", "\\`touch pwned\\`", "'$(touch pwned)'"},
	"body":      {"text", "‹hostile›", "‹hostile›\n‹command›", "$x ${x}", "$(‹command›)", "`‹command›`", "EOF ", "\tEOF", "EOF;‹command›", "\\EOF", "a\\", "‹words›", "'", "\"", "\\$(‹hostile›)", "$((‹number›))", "${x‹operator›}", "E\\\nOF"},
	"reader":    ways("cat cat grep\u00a0a wc sort head tr\u00a0a\u00a0b sed\u00a0-n\u00a0p awk\u00a0'{print}' read\u00a0x bash sh cat\u00a0- od tail uniq jq\u00a0. bc"),
	"wrapper":   lines("\ntimeout 2\nnice\nnice -n 5\nnohup\nstdbuf -o0\ntime\ncommand\nbuiltin\nxargs\nxargs -n1\nenv\nexec\ntimeout -s KILL 1\ntimeout --foreground 1\ntimeout ‹flag› 1\nnice ‹flag›\ncommand -p\ncommand ‹flag›\nsudo\nsetsid\nwatch\n\\time\n'timeout' 1\nnice -5\nbusybox\n"),
	"filter": lines("\ncat\nsort ‹flag›\nsort\nuniq -c\nuniq ‹file› ‹file›\nuniq ‹file›\nwc -l\nhead -n 1\ntail -1\ngrep ‹flag› ‹text›\ngrep ‹text›\nsed ‹sed›\nawk ‹awk›\ncut -d, -f1\ntr a-z A-Z\ntr ‹text› ‹text›\nrev\nnl ‹flag›\nfold -w 10\npaste -sd,\ncolumn -t\nxxd ‹flag›\nod -c\nbase64\ntac\nless\nmore\ntee ‹file›\ntee /dev/null\nxargs ‹command›\nxargs\nwhile read x; do ‹command›; done\njq ‹jq›\nbc\nsh\nbash\nshuf\nexpand ‹flag›\npr ‹flag›\nhexdump -C\nstrings\nmd5sum\nfmt\ncomm - ‹file›\njoin - ‹file›\ndiff - ‹file›\nnumfmt\nfactor\nseq 3\nxargs echo\nxargs -I{} cat {}\n"),
}
