package shellparse

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

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

// curlOutputs matches the files that the format of curl -w opens for what stands behind them.
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
