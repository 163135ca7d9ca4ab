package shellparse

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// remoteEffect returns the effect of a program that talks to other machines, with the
// hosts its arguments name. An unknown argument may name any host.
func remoteEffect(args []arg) effect {
	e := remoteNamedEffect(args)
	for _, a := range args {
		if !a.known {
			e.hosts = append(e.hosts, a.unknownHost())
		}
	}
	return e
}

// remoteNamedEffect is remoteEffect without the hosts of unknown arguments.
func remoteNamedEffect(args []arg) effect {
	e := unknownEffect("it reaches the network")
	for _, a := range args {
		if !a.known {
			continue
		}
		text := a.value
		if strings.HasPrefix(text, "--") {
			_, text, _ = strings.Cut(text, "=")
		} else if strings.HasPrefix(text, "-") {
			text = text[min(2, len(text)):]
			if !strings.Contains(text, ":") {
				continue // several flags, or a value that is seldom a host
			}
		}
		if host := hostOf(text); host != "" {
			e.hosts = append(e.hosts, host)
		}
		if isAmbiguousURL(text) {
			e.hosts = append(e.hosts, "…"+text)
		}
	}
	return e
}

// remoteCopyEffect is remoteEffect for programs that copy files between machines: an
// operand that is not on another machine may be a local directory.
func remoteCopyEffect(args []arg) effect {
	e := remoteEffect(args)
	var here []arg
	for _, a := range args {
		if a.known && !strings.HasPrefix(a.value, "-") {
			here = append(here, a)
		}
	}
	for i, a := range here {
		if before, _, remote := strings.Cut(a.value, ":"); !remote || strings.Contains(before, "/") {
			e.files = append(e.files, file{arg: a, tree: true, guess: true})
			if i == len(here)-1 {
				e.files = append(e.files, file{arg: a, tree: true, guess: true, write: true, mayWrite: true})
			}
		}
	}
	return e
}

// hostOf returns the host that an argument may name: that of a URL or of
// user@host:path, or a name with a dot or a port. The text may mean something else.
func hostOf(text string) string {
	rest, url := afterScheme(text)
	if !url && (strings.HasPrefix(text, "/") || strings.HasPrefix(text, ".")) {
		return ""
	}
	if n := strings.IndexAny(rest, "/?#\\"); n >= 0 {
		rest = rest[:n]
	}
	at := strings.LastIndexByte(rest, '@')
	rest = rest[at+1:]
	if address, port, ok := strings.Cut(strings.TrimPrefix(rest, "["), "]"); ok && rest[0] == '[' && (port == "" || port[0] == ':') {
		return address
	}
	rest, port, _ := strings.Cut(rest, ":")
	named := at >= 0 || isDigits(port) || strings.Contains(rest, ".") || rest == "localhost"
	// Other texts, such as data to send, are no names.
	if url || named && !strings.ContainsAny(rest, notInHost) {
		return rest
	}
	return ""
}

// notInHost are bytes that end a URL inside a text.
const notInHost = " \t\n\"'`<>{}(),;&|=*$"

// afterScheme returns the text after the scheme of a URL. Programs accept any number of
// slashes after web schemes.
func afterScheme(text string) (rest string, ok bool) {
	scheme, rest, ok := strings.Cut(text, ":")
	switch strings.ToLower(scheme) {
	case "http", "https", "ftp", "ftps", "ws", "wss":
		if ok && !isDigits(rest) {
			return strings.TrimLeft(rest, `/\`), true
		}
	case "file":
		if ok {
			return "", true
		}
	}
	scheme, rest, ok = strings.Cut(text, "://")
	if !ok {
		return text, false
	}
	if n := strings.IndexAny(rest, notInHost); n >= 0 && strings.ContainsAny(scheme, notInHost) {
		rest = rest[:n] // the URL is inside a longer text
	}
	return rest, true
}

// isAmbiguousURL reports whether programs may read the host of a URL differently: they
// disagree about a backslash, and some decode percent signs.
func isAmbiguousURL(text string) bool {
	rest, url := afterScheme(text)
	if n := strings.IndexAny(rest, "/?#"); n >= 0 {
		rest = rest[:n]
	}
	return url && (strings.Contains(rest, `\`) || strings.Contains(rest[strings.LastIndexByte(rest, '@')+1:], "%") && !strings.Contains(rest, "["))
}

// unknownHost returns the host of an argument that is not known: the one that its known
// start names, or else a text that is no plain name.
func (a arg) unknownHost() string {
	text := strings.TrimPrefix(a.source, `"`)
	start := text[:max(strings.IndexAny(text+"$", "$`'\"{*?[\\"), 0)]
	if rest, url := afterScheme(start); url && !a.anyNumber && !a.isPlaceholder() && strings.Contains(rest, "/") && !strings.Contains(rest, "@") {
		return hostOf(start)
	}
	return "…" + a.source
}

// sshEffect returns the effect of ssh. An option may name a program that runs locally,
// or another host.
func sshEffect(args []arg) effect {
	e := remoteEffect(args)
	e.addSSHOptions(args, "")
	return e
}

// sftpEffect returns the effect of sftp, which may run another program instead of ssh.
func sftpEffect(args []arg) effect {
	e := remoteCopyEffect(args)
	e.addSSHOptions(args, "SD")
	return e
}

// scpEffect returns the effect of scp, which may run another program instead of ssh.
func scpEffect(args []arg) effect {
	e := remoteCopyEffect(args)
	e.addSSHOptions(args, "SD")
	return e
}

// rsyncEffect returns the effect of rsync, which runs the value of -e instead of ssh.
func rsyncEffect(args []arg) effect {
	e := remoteCopyEffect(args)
	for i, a := range args {
		value, ok := strings.CutPrefix(a.value, "--rsh=")
		if !ok && len(a.value) > 1 && a.value[0] == '-' && a.value[1] != '-' {
			_, value, ok = strings.Cut(a.value, "e")
		}
		if ok || a.value == "--rsh" {
			e.addRemoteShell(value, args[i+1:])
		}
	}
	return e
}

// addRemoteShell adds a command that runs instead of ssh: value, or the next word if
// value is empty.
func (e *effect) addRemoteShell(value string, after []arg) {
	if value == "" && len(after) > 0 {
		value = after[0].value
	}
	name, _, _ := strings.Cut(value, " ")
	e.noWildcards = e.noWildcards || programName(name) != "ssh" || strings.Contains(value, "ommand")
	e.addScript(value)
}

// addSSHOptions adds the commands and hosts in the options of ssh, sftp or scp. The
// options whose letters are in programs name a program.
func (e *effect) addSSHOptions(args []arg, programs string) {
	for i, a := range args {
		if len(a.value) < 2 || a.value[0] != '-' {
			continue
		}
		var after string
		if i+1 < len(args) {
			after = args[i+1].value
		}
		n := strings.IndexAny(a.value[1:], "oFI"+programs) + 1
		value := a.value[n+1:]
		if value == "" {
			value = after
		}
		switch {
		case n == 0:
		case a.value[n] == 'o':
			e.addSSHSetting(value)
		default:
			e.noWildcards = true // a program, or a file that may name one
			if strings.IndexByte(programs, a.value[n]) >= 0 {
				e.addScript(value)
			}
		}
	}
}

// addSSHSetting adds the command that a setting makes ssh run, or the host it makes ssh
// reach.
func (e *effect) addSSHSetting(text string) {
	n := strings.IndexAny(text, "= \t")
	if n < 0 {
		return
	}
	value := strings.Trim(text[n:], "= \t\"")
	switch name := strings.ToLower(text[:n]); {
	case strings.HasSuffix(name, "command"), strings.HasSuffix(name, "provider"), name == "xauthlocation":
		e.noWildcards = true
		e.addScript(value)
	case name == "hostname", name == "proxyjump":
		e.hosts = append(e.hosts, strings.TrimPrefix(value[strings.LastIndexByte(value, '@')+1:], "ssh://"))
	}
}

// dockerForms are the subcommands of docker and podman that only read, with tables of
// their flags as gitFlagKind reads them: docker parses its words like git. Of compose
// only ls is included: the others read a project, which may include files from other
// hosts. Source: docker CLI reference, 28.2; podman(1).
var dockerForms = map[string]string{
	"ps":                dockerPs,
	"container ls":      dockerPs,
	"container list":    dockerPs,
	"container ps":      dockerPs,
	"images":            dockerImages,
	"image ls":          dockerImages,
	"image list":        dockerImages,
	"logs":              dockerLogs,
	"container logs":    dockerLogs,
	"inspect":           dockerInspect,
	"container inspect": dockerInspect,
	"image inspect":     dockerInspect,
	"network inspect":   dockerInspect,
	"volume inspect":    dockerInspect,
	"top":               "",
	"container top":     "",
	"port":              "",
	"container port":    "",
	"diff":              "",
	"container diff":    "",
	"history":           dockerHistory,
	"image history":     dockerHistory,
	"stats":             dockerStats,
	"container stats":   dockerStats,
	"network ls":        dockerList,
	"network list":      dockerList,
	"volume ls":         dockerList,
	"volume list":       dockerList,
	"compose ls":        "-a --all --filter= --format= -q --quiet",
	"system df":         "--format= -v --verbose",
	"info":              "-f= --format=",
	"version":           "-f= --format=",
}

const (
	dockerPs      = `-a --all -f= --filter= --format= -n= --last= -l --latest --no-trunc -q --quiet -s --size`
	dockerImages  = `-a --all --digests -f= --filter= --format= --no-trunc -q --quiet --tree`
	dockerLogs    = `--details -f --follow --since= -n= --tail= -t --timestamps --until=`
	dockerInspect = `-f= --format= -s --size --type= -v --verbose`
	dockerHistory = `--format= --human --no-trunc -q --quiet`
	dockerStats   = `-a --all --format= --no-stream --no-trunc`
	dockerList    = `-f= --filter= --format= --no-trunc -q --quiet`
)

// dockerEffect returns the effect of docker or podman. Options before the subcommand
// are refused: some of them choose another daemon.
func dockerEffect(args []arg) effect {
	if len(args) == 0 {
		return effect{}
	}
	name := args[0].value
	if len(args) == 1 && args[0].known && (name == "--version" || name == "-v") {
		return effect{}
	}
	table, ok := dockerForms[name]
	rest := args[1:]
	if len(rest) > 0 {
		if longer, found := dockerForms[name+" "+rest[0].value]; found && rest[0].known {
			table, ok, name, rest = longer, true, name+" "+rest[0].value, rest[1:]
		}
	}
	if !ok || !args[0].known {
		return unknownEffect("docker " + name + " is not known to only read")
	}
	words, reason := parseGitArgs(rest, []string{table}, false)
	if reason != "" {
		return unknownEffect("docker " + name + ": " + reason)
	}
	if strings.HasSuffix(name, "stats") && !words.has("--no-stream") {
		return unknownEffect("docker " + name + " goes on for ever without --no-stream")
	}
	return effect{}
}

// The options of curl and wget; see flagKind. If an option is not listed, values cannot
// be told from URLs.
const (
	curlOptions = "-A= -b= -c> -C= -d= -D> -e= -E= -F= -H= -K= -m= -o= -P= -Q= -r= -t= -T< -u= -U= -w= -x= -X= -y= -Y= -z= -O -J" +
		" --output= --dump-header> --cookie-jar> --trace> --trace-ascii> --stderr> --libcurl> --etag-save> --hsts> --alt-svc>" +
		" --upload-file< --config= --cacert< --key< --netrc-file< --etag-compare< --crlfile< --proxy-cacert< --proxy-key<" +
		" --cookie= --data= --data-ascii= --data-binary= --data-raw= --data-urlencode= --json= --url-query= --form= --form-string=" +
		" --header= --proxy-header= --variable= --output-dir= --remote-name --remote-name-all --remote-header-name --url=" +
		" --connect-timeout= --max-time= --retry= --retry-delay= --retry-max-time= --request= --user= --user-agent= --referer=" +
		" --write-out= --proxy= --preproxy= --connect-to= --resolve= --range= --limit-rate= --cert= --continue-at= --time-cond=" +
		" --oauth2-bearer= --max-redirs= --noproxy= --interface= --aws-sigv4= --unix-socket=" +
		" -0 -4 -6 -f -g -G -i -I -k -l -L -n -N -q -R -s -S -v -V -Z --silent --show-error --location --fail --fail-with-body --insecure" +
		" --verbose --include --head --get --compressed --no-buffer --globoff --create-dirs --no-progress-meter --progress-bar --http1.1 --http2"
	wgetOptions = "-O> -o> -a> -P= -i< -e= -t= -T= -w= -Q= -U= -l= -A= -R= -D= -I= -X= -B= -r -m -p -S -q -c -N" +
		" --output-document> --output-file> --append-output> --save-cookies> --rejected-log> --input-file< --load-cookies<" +
		" --post-file< --body-file< --config< --ca-certificate< --certificate< --private-key< --use-askpass= --execute=" +
		" --directory-prefix= --recursive --mirror --page-requisites --content-disposition --header= --user= --password=" +
		" --post-data= --body-data= --user-agent= --referer= --method= --timeout= --tries= --wait=" +
		" -v -x --quiet --no-verbose --verbose --show-progress --continue --timestamping --no-check-certificate --spider --no-cache" +
		" --https-only --no-clobber --server-response"
)

// The options of curl and wget whose value is never a host.
const (
	curlNoHost = "-A -b -c -C -d -D -e -E -F -H -m -o -r -T -u -w -X -y -Y -z --output --dump-header --cookie-jar --cookie --upload-file" +
		" --data --data-ascii --data-binary --data-raw --data-urlencode --json --form --form-string --header --connect-timeout --max-time" +
		" --retry --retry-delay --retry-max-time --request --user --user-agent --referer --write-out --range --limit-rate --cert --key" +
		" --cacert --continue-at --time-cond --output-dir --oauth2-bearer --stderr --trace --trace-ascii --max-redirs"
	wgetNoHost = "-O -o -a -P -t -T -w -Q -U -l --output-document --output-file --append-output --directory-prefix --header --user --password" +
		" --post-data --body-data --user-agent --referer --method --timeout --tries --wait"
)

// curlEffect returns the effect of curl, which reaches hosts and reads and writes the
// files that its options name.
func curlEffect(args []arg) effect {
	e := remoteNamedEffect(args)
	p := e.parseRemoteArgs(args, curlOptions, curlNoHost)
	for _, f := range p.flags {
		switch f.name {
		case "--output", "-o":
			f.value.value, _, f.value.glob = strings.Cut(f.value.value, "#") // the text after # differs between files
			if f.value.glob {
				f.value.value = escapeGlob(f.value.value) + "*"
			}
			e.addWriteUnder(p.flagValues("--output-dir"), f.value)
		case "-K", "--config":
			e.hosts = append(e.hosts, "…") // the file may name any host
			e.addRead(f.value)
		case "-w", "--write-out":
			for _, parts := range curlOutputs.FindAllStringSubmatch(f.value.value, maxTexts) {
				e.addWrite(f.value.withValue(parts[1]))
			}
		case "-b", "--cookie":
			e.addReadIf(f.value, !strings.Contains(f.value.value, "="))
		case "--connect-to":
			if parts := strings.Split(f.value.value, ":"); len(parts) > 2 && parts[2] != "" {
				e.hosts = append(e.hosts, parts[2])
			}
		case "-d", "--data", "--data-ascii", "--data-binary", "--json", "-H", "--header", "--proxy-header":
			e.addReadAfter(f.value, "@")
		case "--data-urlencode", "--url-query", "--variable":
			_, rest, ok := strings.Cut(f.value.value, "@")
			e.addReadIf(f.value.withValue(rest), ok)
		case "-F", "--form":
			_, rest, _ := strings.Cut(f.value.value, "=")
			rest, _, _ = strings.Cut(rest, ";")
			e.addReadAfter(f.value.withValue(rest), "@<")
		}
	}
	e.addNamedFiles(p)
	if p.hasFlag("-O", "--remote-name", "--remote-name-all") {
		e.noWildcards = p.hasFlag("-J", "--remote-header-name") // the server chooses the name of the file
		e.addDownloads(p.operands, p.flagValues("--output-dir"))
		e.addDownloads(p.flagValues("--url"), p.flagValues("--output-dir"))
	}
	return e
}

// curlOutputs matches the files into which curl writes the text that follows in a -w format.
var curlOutputs = regexp.MustCompile(`%output\{(?:>>)?([^}]*)\}`)

// wgetEffect returns the effect of wget, which without -O names the file after the end
// of the URL.
func wgetEffect(args []arg) effect {
	e := remoteNamedEffect(args)
	p := e.parseRemoteArgs(args, wgetOptions, wgetNoHost)
	dirs := p.flagValues("-P", "--directory-prefix")
	e.addNamedFiles(p)
	if p.hasFlag("-e", "--execute", "--use-askpass", "--config") {
		e.noWildcards = true
		e.hosts = append(e.hosts, "…") // a setting may name any host
	}
	if p.hasFlag("-i", "--input-file") {
		e.hosts = append(e.hosts, "…")
	}
	for _, f := range p.flagValues("--use-askpass") {
		e.runs = append(e.runs, []arg{f})
	}
	if p.hasFlag("-r", "-m", "-p", "--recursive", "--mirror", "--page-requisites") {
		for _, dir := range append(dirs, literalArg("."))[:1] {
			e.files = append(e.files, file{arg: dir, write: true, tree: true, guess: true})
		}
	}
	if !p.hasFlag("-O", "--output-document") {
		e.noWildcards = e.noWildcards || p.hasFlag("--content-disposition")
		e.addDownloads(p.operands, dirs)
	}
	return e
}

// parseRemoteArgs parses arguments and adds the hosts that unknown ones may name.
// Unknown values of the options in inert are ignored if all options are listed.
func (e *effect) parseRemoteArgs(args []arg, options, inert string) parsedArgs {
	args = slices.Clone(args)
	for i, a := range args {
		name, _, attached := strings.Cut(a.source, "=")
		if !a.known && !a.anyNumber && attached && has(inert, name) {
			args[i] = literalArg("-q") // any option without a value
		}
	}
	p := commandSpec{flags: options}.parseArgs(expandLongFlags(options, args))
	rest := args
	if p.reason == "" {
		rest = slices.Concat(p.operands, p.splitValues)
		for _, f := range p.flags {
			if f.value.source != "" && !has(inert, f.name) {
				rest = append(rest, f.value)
			}
		}
	}
	for _, a := range rest {
		if !a.known {
			e.hosts = append(e.hosts, a.unknownHost())
		}
	}
	return p
}

// expandLongFlags returns the arguments with abbreviated long options written out.
func expandLongFlags(options string, args []arg) []arg {
	list := args
	for i, a := range args {
		name, value, attached := strings.Cut(a.value, "=")
		if !a.known || len(name) < len("--xx") || name[:2] != "--" {
			continue
		}
		for known := range strings.FieldsSeq(options) {
			if full := strings.TrimRight(known, "=<>"); full != name && strings.HasPrefix(full, name) && !isListedFlag(options, name) {
				if &list[0] == &args[0] {
					list = slices.Clone(args)
				}
				list[i].value = full
				if attached {
					list[i].value += "=" + value
				}
				break
			}
		}
	}
	return list
}

// isListedFlag reports whether a table of flags contains name.
func isListedFlag(flags, name string) bool {
	_, ok := commandSpec{flags: flags}.kindOf(name)
	return ok
}

// addNamedFiles adds the files that flags name. "-" is no file.
func (e *effect) addNamedFiles(p parsedArgs) {
	for _, f := range p.namedFiles {
		if f.write {
			e.addWriteUnder(nil, f.arg)
		} else {
			e.addRead(f.arg)
		}
	}
}

// addReadAfter adds the file that a value names after one of marks.
func (e *effect) addReadAfter(a arg, marks string) {
	if a.value != "" && strings.IndexByte(marks, a.value[0]) >= 0 {
		e.addReadIf(a.withValue(a.value[1:]), true)
	}
}

// addReadIf adds a file if ok is set and its name is known.
func (e *effect) addReadIf(a arg, ok bool) {
	if ok && a.known && a.value != "" {
		e.addRead(a)
	}
}

// addWriteUnder adds a file that is written, relative to the last of dirs if there is
// one. "-" is the standard output.
func (e *effect) addWriteUnder(dirs []arg, a arg) {
	if a.is("-") {
		return
	}
	if len(dirs) > 0 && !strings.HasPrefix(a.value, "/") {
		a = a.inDir(dirs[len(dirs)-1])
	}
	e.addWrite(a)
}

// addDownloads adds the files that are named after the ends of URLs.
func (e *effect) addDownloads(urls, dirs []arg) {
	for _, a := range urls {
		rest, _ := afterScheme(a.value)
		rest, _, _ = strings.Cut(rest, "?")
		rest, _, _ = strings.Cut(rest, "#")
		if _, _, ok := strings.Cut(rest, "/"); !a.known || !ok {
			continue
		}
		if name := path.Base(rest); !strings.HasSuffix(rest, "/") && name != "." && name != ".." {
			a.glob = strings.ContainsAny(name, "*[{") && a.glob
			e.addWriteUnder(dirs, a.withValue(name))
		}
	}
}

// namedHostPrograms are programs whose arguments name hosts without a scheme: as a name with a
// dot, or as the value of an option. The others, whose hosts are known in every form, are
// networkSpecs.
var namedHostPrograms = wordSet(`
	psql pg_dump pg_restore pg_dumpall pg_isready createdb dropdb pgbench mysql mysqldump mysqladmin mysqlimport mariadb mariadb-dump redis-cli valkey-cli mongosh mongo mongodump mongoexport
	cqlsh sqlcmd clickhouse-client influx etcdctl kcat kafkacat mosquitto_pub mosquitto_sub nats rabbitmqadmin
	pip pip3 pipx uv poetry pdm conda mamba npm pnpm yarn bun gem bundle composer
	kubectl helm oc vault consul nomad terraform ansible ansible-playbook
	openssl gnutls-cli sslscan testssl.sh nmap masscan iperf iperf3 grpcurl websocat wscat curlie xh ab wrk hey h2load siege
	ldapsearch snmpwalk snmpget showmount rpcinfo smbclient rpcclient mount mount.nfs sshfs ssh-keyscan ssh-copy-id autossh rclone
	mtr tracepath fping hping3 arping drill kdig delv dog ntpdate chronyd rdesktop xfreerdp vncviewer swaks msmtp sendmail finger rsh rlogin tftp
`)

// imagePrograms are programs whose operands name a host before a slash, as evil.example/x.
var imagePrograms = wordSet("docker podman nerdctl buildah skopeo crane oras go")

// hostOptions are options of namedHostPrograms whose value is a host.
var hostOptions = wordSet("-h -H --host --hostname --server -s --trusted-host -connect --connect -proxy --proxy --bootstrap-server -b --broker --address")

// addMentioned adds the hosts in the arguments and variables of a command, which may reach
// them. The arguments of a command that only reads files do not count.
func (c *Command) addMentioned(name string, args []arg, assigns []assignment) {
	for _, a := range assigns {
		c.mention(hostsIn(a.source)...)
		if a.value.known && namesServer(a.name) {
			c.mention(hostsOfList(a.value.value)...)
		}
	}
	if c.Class == ReadOnly || isGitMessage(args) {
		return
	}
	for _, a := range args {
		text := a.value
		if !a.known {
			text = a.source
		}
		c.mention(hostsIn(text)...)
		if variable, value, ok := strings.Cut(text, "="); ok && namesServer(variable) {
			c.mention(hostsOfList(value)...)
		}
	}
	name = name[strings.LastIndexByte(name, '/')+1:]
	switch {
	case namedHostPrograms[name]:
		c.mentionNamed(args)
	case imagePrograms[name]:
		for _, a := range args {
			if strings.Contains(a.value, "/") && !strings.HasPrefix(a.value, "-") {
				c.mention(hostOf(a.value))
			}
		}
	}
}

// isGitMessage reports whether a command is git with a subcommand whose arguments are texts for
// people, and which reaches no other machine.
func isGitMessage(args []arg) bool {
	return len(args) > 1 && args[0].value == "git" && slices.Contains([]string{"commit", "tag", "notes", "stash", "branch"}, args[1].value)
}

// mentionNamed adds the hosts of one of namedHostPrograms.
func (c *Command) mentionNamed(args []arg) {
	for i, a := range args {
		option, value, ok := strings.Cut(a.value, "=")
		switch {
		case hostOptions[a.value] && i+1 < len(args):
			c.mention(hostsOfList(args[i+1].value)...)
		case ok && hostOptions[option]:
			c.mention(hostsOfList(value)...)
		case len(a.value) > 2 && hostOptions[a.value[:2]] && a.value[1] != '-':
			c.mention(hostsOfList(a.value[2:])...)
		case i > 0 && !strings.HasPrefix(a.value, "-"):
			c.mention(hostOf(a.value))
		}
	}
}

func (c *Command) mention(hosts ...string) {
	for _, host := range hosts {
		if host != "" && !slices.Contains(c.Mentioned, host) && !slices.Contains(c.Hosts, host) {
			c.Mentioned = append(c.Mentioned, host)
		}
	}
}

// namesServer reports whether a variable of that name usually holds a host.
func namesServer(variable string) bool {
	variable = strings.ToUpper(variable)
	return slices.ContainsFunc([]string{"HOST", "PROXY", "SERVER", "REGISTRY", "ENDPOINT", "BROKER"}, func(part string) bool { return strings.Contains(variable, part) })
}

// hostsOfList returns the hosts of a list such as "a,b:5432", which need no dot.
func hostsOfList(list string) (hosts []string) {
	for _, text := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' }) {
		if rest, url := afterScheme(text); url {
			text = rest
		}
		text = text[strings.LastIndexByte(text, '@')+1:]
		if n := strings.IndexAny(text, "/:?#"); n > 0 {
			text = text[:n]
		}
		hosts = append(hosts, text)
	}
	return hosts
}

// hostsIn returns the hosts that a text mentions anywhere: of URLs, of host:port where the
// host has a dot, of user@host:path, and of the names that Bash opens as connections.
func hostsIn(text string) (hosts []string) {
	for _, device := range []string{"/dev/tcp/", "/dev/udp/"} {
		for rest := text; ; {
			_, after, ok := strings.Cut(rest, device)
			if !ok {
				break
			}
			host, _, _ := strings.Cut(after, "/")
			hosts, rest = append(hosts, host), after
		}
	}
	for at := 0; ; {
		colon := strings.IndexByte(text[at:], ':')
		if colon < 0 {
			return hosts
		}
		colon += at
		hosts = append(hosts, hostAround(text, colon))
		at = colon + 1
	}
}

// hostAround returns the host of a URL, host:port or user@host:path whose colon is at that
// place, or "".
func hostAround(text string, colon int) string {
	after := text[colon+1:]
	before := text[max(0, colon-maxHost):colon]
	before = before[strings.LastIndexAny(before, notInHost+"/#?")+1:]
	if rest, web := schemeAround(before, after); web {
		if n := strings.IndexAny(rest, notInHost+"/?#\\"); n >= 0 {
			rest = rest[:n]
		}
		rest = rest[strings.LastIndexByte(rest, '@')+1:]
		if address, _, ok := strings.Cut(strings.TrimPrefix(rest, "["), "]"); ok {
			return address
		}
		host, _, _ := strings.Cut(rest, ":")
		return host
	}
	if at := strings.LastIndexByte(before, '@'); at >= 0 {
		return before[at+1:]
	}
	port := after
	if n := strings.IndexFunc(port, func(r rune) bool { return r < '0' || r > '9' }); n >= 0 {
		port = port[:n]
	}
	if port == "" || !strings.Contains(before, ".") || strings.Contains(before, ":") {
		return ""
	}
	return before
}

// maxHost is more than the length of a host, or of a user and a host, in bytes.
const maxHost = 512

// schemeAround is [afterScheme] for a text around its colon. It must have slashes, unless the
// scheme is one of the web.
func schemeAround(before, after string) (rest string, ok bool) {
	if !strings.HasPrefix(after, "//") && !isWebScheme(before) {
		return "", false
	}
	return afterScheme(before[strings.LastIndexByte(before, '.')+1:] + ":" + after)
}

func isWebScheme(text string) bool {
	return slices.Contains([]string{"http", "https", "ftp", "ftps", "ws", "wss"}, strings.ToLower(text))
}
