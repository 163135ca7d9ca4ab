package shellparse

import "strings"

// remote is a program that talks to other machines.
func remote(source string) entry {
	return entry{source: source, all: remoteUse}
}

// network are the commands that reach out. Their flags do not matter: none of
// them is known to send nothing.
var network = map[string]entry{
	"curl":       remote("curl 8 manual"),
	"dig":        remote("dig(1) of BIND 9"),
	"ftp":        remote("ftp(1) of tnftp"),
	"host":       remote("host(1) of BIND 9"),
	"http":       remote("HTTPie 3 manual"),
	"https":      remote("HTTPie 3 manual"),
	"lftp":       remote("lftp 4 manual"),
	"mosh":       remote("mosh 1.4 manual"),
	"nc":         remote("nc(1) of OpenBSD"),
	"ncat":       remote("Nmap 7 manual, ncat"),
	"netcat":     remote("nc(1) of OpenBSD"),
	"nmap":       remote("Nmap 7 manual"),
	"nslookup":   remote("nslookup(1) of BIND 9"),
	"ping":       remote("ping(8) of iputils"),
	"ping6":      remote("ping(8) of iputils"),
	"rsync":      remote("rsync 3.3 manual"),
	"scp":        remote("OpenSSH 9 manual"),
	"sftp":       remote("OpenSSH 9 manual"),
	"ssh":        remote("OpenSSH 9 manual"),
	"telnet":     remote("telnet(1) of inetutils"),
	"traceroute": remote("traceroute(8)"),
	"wget":       remote("GNU wget 1.24 manual"),
	"whois":      remote("whois(1) of Debian"),
	"docker":     {source: "see docker.go", all: dockerUse},
	"podman":     {source: "see docker.go", all: dockerUse},
	"gh":         {source: "see gh.go", all: ghUse},
	"git":        {source: "see git.go", all: gitUse},
}

// remoteUse is the use of a program that talks to other machines, with those
// that its arguments plainly name.
func remoteUse(args []arg) use {
	u := unknown("it reaches the network")
	value := false // the word may be the value of a flag
	for _, a := range args {
		if a.exact() {
			if host := hostOf(a.value, value); host != "" {
				u.hosts = append(u.hosts, host)
			}
		}
		value = strings.HasPrefix(a.value, "-")
	}
	return u
}

// hostOf is the host that an argument names: that of a URL, of user@host:path, or
// a name with a dot in it, unless that may be something else.
func hostOf(text string, value bool) string {
	_, rest, url := strings.Cut(text, "://")
	if !url {
		rest = text
		if value || strings.HasPrefix(text, "-") || strings.HasPrefix(text, "/") || strings.HasPrefix(text, ".") {
			return ""
		}
	}
	if n := strings.IndexAny(rest, "/?#\\"); n >= 0 {
		rest = rest[:n]
	}
	at := strings.LastIndexByte(rest, '@')
	rest = rest[at+1:]
	if strings.HasPrefix(rest, "[") {
		rest, _, _ = strings.Cut(rest[1:], "]")
		return rest
	}
	rest, _, _ = strings.Cut(rest, ":")
	if url || at >= 0 || strings.Contains(rest, ".") {
		return rest
	}
	return ""
}
