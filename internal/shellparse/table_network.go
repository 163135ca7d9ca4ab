package shellparse

// network are the commands that reach out. Their flags do not matter: none of
// them is known to send nothing.
var network = map[string]entry{
	"aria2c":     remote("aria2 1.37 manual"),
	"curl":       {source: "curl 8 manual", all: curlUse},
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
	"rsync":      {source: "rsync 3.3 manual", all: rsyncUse},
	"scp":        {source: "OpenSSH 9 manual", all: scpUse},
	"sftp":       {source: "OpenSSH 9 manual", all: sftpUse},
	"socat":      remote("socat(1) 1.8"),
	"ssh":        {source: "OpenSSH 9 manual", all: sshUse},
	"telnet":     remote("telnet(1) of inetutils"),
	"traceroute": remote("traceroute(8)"),
	"wget":       {source: "GNU wget 1.24 manual", all: wgetUse},
	"whois":      remote("whois(1) of Debian"),
	"docker":     {source: "see docker.go", all: dockerUse},
	"podman":     {source: "see docker.go", all: dockerUse},
	"gh":         {source: "see gh.go", all: ghUse},
	"git":        {source: "see git.go", all: gitUse},
}

// remote is a program that talks to other machines.
func remote(source string) entry {
	return entry{source: source, all: remoteUse}
}

// ghUse is the use of GitHub's command: all it does, it does on a server.
func ghUse([]arg) use { return unknown("gh talks to a server") }
