package shellparse

import (
	"path"
	"regexp"
	"strings"
)

// listOptions are options with which a program reads files whose names stand in another
// file or come from its input, by program.
var listOptions = map[string]string{
	"tar": "-T --files-from", "bsdtar": "-T --files-from", "gtar": "-T --files-from", "zip": "-@ --names-stdin", "rsync": "--files-from", "rclone": "--files-from --files-from-raw",
	"wc": "--files0-from", "du": "--files0-from", "sort": "--files0-from", "find": "-files0-from", "file": "-f --files-from",
	"md5sum": "-c --check", "sha1sum": "-c --check", "sha224sum": "-c --check", "sha256sum": "-c --check", "sha384sum": "-c --check", "sha512sum": "-c --check",
	"shasum": "-c --check", "b2sum": "-c --check", "cksum": "-c --check", "curl": "-K --config", "ack": "-x --files-from", "ug": "--from", "ugrep": "--from",
	"ctags": "-L", "etags": "-L", "cscope": "-i", "exiftool": "-@", "cloc": "--list-file", "clamscan": "-f --file-list", "restic": "--files-from --files-from-raw --files-from-verbatim",
	"borg": "--paths-from-stdin --paths-from-command --patterns-from", "sftp": "-b", "lftp": "-f", "genisoimage": "-path-list", "mkisofs": "-path-list",
	"docker": "-v --volume --mount --env-file", "podman": "-v --volume --mount --env-file",
}

// listReaders are programs that read the names of files from their input.
const listReaders = "cpio pax afio"

// responseFiles are programs that read arguments from the file behind an @.
var responseFiles = wordSet("7z 7za 7zr ar as c++ cc clang clang++ convert cpp csc exiftool g++ gcc gfortran identify jar java javac javadoc ld link magick mogrify nm objdump" +
	" ranlib rar rustc size strings strip")

// inspectLists adds the files that a program reads because a list names them. What is in
// such a list is known only if the line spells it.
func (w *walker) inspectLists(c *Command, name string, args []arg) {
	reads := has(listReaders, name)
	options := listOptions[name]
	for _, a := range args {
		if reads {
			break
		}
		reads = options != "" && a.known && takesList(options, name, a.value) ||
			strings.HasPrefix(a.value, "@") && responseFiles[strings.TrimRight(name, "-.0123456789")] ||
			name == "zip" && zipList.MatchString(a.value)
	}
	if !reads {
		return
	}
	c.ReadsUnseen = true
	texts, _ := w.inputTexts()
	for _, text := range texts {
		if !w.pay(len(text)) {
			return
		}
		for file := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == 0 }) {
			c.Paths = w.appendPaths(c.Paths, file, Path{Guess: true})
		}
	}
}

// zipList matches the options of zip that name a list, alone or behind other letters.
var zipList = regexp.MustCompile(`^-[a-zA-Z]*@`)

// takesList reports whether an argument is one of options, possibly abbreviated or behind
// other letters.
func takesList(options, name, value string) bool {
	given, _, _ := strings.Cut(value, "=")
	for option := range strings.FieldsSeq(options) {
		switch {
		case option == given:
			return true
		case strings.HasPrefix(option, "--"):
			if len(given) > len("--x") && strings.HasPrefix(option, given) {
				return true
			}
		case len(option) == 2 && len(value) > 2 && value[0] == '-' && value[1] != '-':
			if strings.Contains(value, option[1:]) && !strings.HasPrefix(name, "docker") && name != "podman" {
				return true
			}
		case name == "tar" && !strings.HasPrefix(value, "-") && strings.Trim(value, "AcdrtuxvzjJpkmOwhfCTXSWBbi") == "" && strings.Contains(value, "T"):
			return true
		}
	}
	return false
}

// copiesPrograms are programs that give a file another name.
var copiesPrograms = wordSet("cp ln mv install link rsync dd scp")

// inspectCopied adds the programs to which a command gives another name, under which no
// rule would know them.
func (w *walker) inspectCopied(c *Command, name string, args []arg) {
	if !copiesPrograms[name] && (!has("cat head tac tail tee", name) || !w.divertsOutput()) {
		return
	}
	for _, a := range args {
		value := strings.TrimPrefix(a.value, "if=")
		if !a.known || strings.HasPrefix(value, "-") || value == "" {
			continue
		}
		dirs := []string{path.Dir(value)}
		if !strings.Contains(value, "/") {
			dirs = w.place.dirs
		}
		for _, dir := range dirs {
			if has("bin sbin libexec", path.Base(dir)) && isSystemBin(dir) {
				c.RunsUnseen = true
				c.Nested = append(c.Nested, programName(value))
			}
		}
	}
}

// isSystemBin reports whether a directory may hold programs of the system: one that is
// given by an absolute path, or by one that leads out of the project.
func isSystemBin(dir string) bool {
	return strings.HasPrefix(dir, "/") || strings.HasPrefix(dir, "~") || strings.Contains(dir, "..")
}
