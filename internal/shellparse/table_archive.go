package shellparse

import "strings"

// archiveSpecs are the commands that create and unpack archives.
var archiveSpecs = map[string]commandSpec{
	"tar": {source: "GNU tar 1.35 manual", custom: tarEffect},
	"zip": {
		source: "Info-ZIP zip 3.0 manual", operands: otherOperands, hasUnsafeFlags: true, changes: "writes an archive",
		flags: "-# -D -j -q -r -u -v -X -y",
		post: func(p parsedArgs, e *effect) {
			for i, a := range p.operands {
				switch {
				case i > 0:
					e.files = append(e.files, file{arg: a, tree: p.hasFlag("-r")})
				case strings.Contains(a.value, "."):
					e.addWrite(a)
				default:
					e.addWrite(a, a.withSuffix(".zip"))
				}
			}
		},
	},
	"unzip": {
		source: "Info-ZIP unzip 6.0 manual", operands: otherOperands, hasUnsafeFlags: true,
		flags: "-C -d= -f -j -l -L -n -o -p -q -t -u -v -z", // -Z runs zipinfo instead
		post:  unzipEffect,
	},
	"gzip":    packerSpec(".gz", "GNU gzip 1.13 manual"),
	"gunzip":  packerSpec(".gz", "GNU gzip 1.13 manual"),
	"bzip2":   packerSpec(".bz2", "bzip2 1.0.8 manual"),
	"bunzip2": packerSpec(".bz2", "bzip2 1.0.8 manual"),
	"xz":      packerSpec(".xz", "xz 5.6 manual"),
	"unxz":    packerSpec(".xz", "xz 5.6 manual"),
	"zcat":    {source: "GNU gzip 1.13 manual", operands: readFiles, flags: "-f -q -v -h -V" + gnuFlags},
	"bzcat":   {source: "bzip2 1.0.8 manual", operands: readFiles, flags: "-q -s"},
	"xzcat":   {source: "xz 5.6 manual", operands: readFiles, flags: "-f -q -v --help --version"},
}

// packerSpec returns the spec of a program that replaces each operand by its compressed
// or decompressed form, unless it prints.
func packerSpec(suffix, source string) commandSpec {
	return commandSpec{
		source: source, operands: otherOperands, hasUnsafeFlags: true,
		flags: "-# -c -d -f -h -k -l -n -q -r -t -v -V -z --best --decompress --fast --force --keep --list --no-name --quiet" +
			" --recursive --stdout --test --verbose" + gnuFlags,
		post: func(p parsedArgs, e *effect) {
			// The last of the flags that choose an action counts.
			looks := p.hasFlag("-l", "-t", "--list", "--test") && !p.hasFlag("-d", "-z", "--decompress")
			if looks || p.hasFlag("-c", "--stdout") {
				for _, a := range p.operands {
					e.files = append(e.files, file{arg: a, tree: p.hasFlag("-r", "--recursive")})
				}
				return
			}
			if len(p.operands) > 0 {
				e.worsen(Mutating, "it writes files in the place of others")
			}
			for _, a := range p.operands {
				tree := p.hasFlag("-r", "--recursive")
				e.files = append(e.files, file{arg: a, write: true, tree: tree}, file{arg: a.withSuffix(suffix), write: true})
				if name, ok := strings.CutSuffix(a.value, suffix); ok {
					a.value = name
					e.addWrite(a)
				}
			}
		},
	}
}

func unzipEffect(p parsedArgs, e *effect) {
	if len(p.operands) == 0 {
		return
	}
	archive := p.operands[0]
	if strings.ContainsAny(archive.value, "*?[") {
		e.worsen(Unknown, "unzip has patterns of its own")
	}
	e.addRead(archive, archive.withSuffix(".zip"))
	if p.hasFlag("-l", "-p", "-t", "-v", "-z") && !p.hasFlag("-d", "-f", "-u") {
		return
	}
	e.worsen(Mutating, "unzip writes files")
	for _, dir := range append(p.flagValues("-d"), literalArg("."))[:1] {
		e.files = append(e.files, file{arg: dir, write: true, tree: true})
	}
}
