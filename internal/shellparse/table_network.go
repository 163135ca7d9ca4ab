package shellparse

// networkSpecs are the commands that use the network. Their flags are not listed: with
// any flags they may send something.
var networkSpecs = map[string]commandSpec{
	"aria2c":     remoteSpec("aria2 1.37 manual"),
	"curl":       {source: "curl 8 manual", custom: curlEffect},
	"dig":        remoteSpec("dig(1) of BIND 9"),
	"ftp":        remoteSpec("ftp(1) of tnftp"),
	"host":       remoteSpec("host(1) of BIND 9"),
	"http":       remoteSpec("HTTPie 3 manual"),
	"https":      remoteSpec("HTTPie 3 manual"),
	"lftp":       remoteSpec("lftp 4 manual"),
	"mosh":       remoteSpec("mosh 1.4 manual"),
	"nc":         remoteSpec("nc(1) of OpenBSD"),
	"ncat":       remoteSpec("Nmap 7 manual, ncat"),
	"netcat":     remoteSpec("nc(1) of OpenBSD"),
	"nmap":       remoteSpec("Nmap 7 manual"),
	"nslookup":   remoteSpec("nslookup(1) of BIND 9"),
	"ping":       {source: "ping(8) of iputils", custom: pingEffect},
	"ping6":      remoteSpec("ping(8) of iputils"),
	"rsync":      {source: "rsync 3.3 manual", custom: rsyncEffect},
	"scp":        {source: "OpenSSH 9 manual", custom: scpEffect},
	"sftp":       {source: "OpenSSH 9 manual", custom: sftpEffect},
	"socat":      remoteSpec("socat(1) 1.8"),
	"ssh":        {source: "OpenSSH 9 manual", custom: sshEffect},
	"telnet":     remoteSpec("telnet(1) of inetutils"),
	"traceroute": remoteSpec("traceroute(8)"),
	"wget":       {source: "GNU wget 1.24 manual", custom: wgetEffect},
	"whois":      remoteSpec("whois(1) of Debian"),
	"docker":     {source: "see command_docker.go", custom: dockerEffect},
	"podman":     {source: "see command_docker.go", custom: dockerEffect},
	"gh":         {source: "see ghEffect", custom: ghEffect},
	"git":        {source: "see command_git.go", custom: gitEffect},
}

// remoteSpec returns the spec of a program that talks to other machines.
func remoteSpec(source string) commandSpec {
	return commandSpec{source: source, custom: remoteEffect}
}

// pingEffect returns the effect of ping, which ends if it counts, and sends nothing to another
// machine if it asks this one.
func pingEffect(args []arg) effect {
	p := commandSpec{operands: plainTexts, flags: "-4 -6 -c= -D -n -q -v -W= -w="}.parseArgs(args)
	if p.reason != "" || !p.hasFlag("-c") || len(p.operands) != 1 || !p.operands[0].is("localhost", "127.0.0.1", "::1") {
		return remoteEffect(args)
	}
	return effect{}
}

// ghEffect returns the effect of gh, which does everything on a server.
func ghEffect([]arg) effect { return unknownEffect("gh talks to a server") }
