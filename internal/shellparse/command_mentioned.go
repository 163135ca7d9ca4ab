package shellparse

import (
	"slices"
	"strings"
)

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

// addMentioned adds the hosts that a command may reach by what its arguments and variables
// say. A command that only reads files reaches none by its arguments.
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
