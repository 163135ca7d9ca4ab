package shellparse

import "strings"

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
