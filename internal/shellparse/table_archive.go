package shellparse

import (
	"strings"
)

// archives are the commands that pack and unpack files.
var archives = map[string]entry{
	"tar": {source: "GNU tar 1.35 manual", all: tarUse},
	"zip": {
		source: "Info-ZIP zip 3.0 manual", operands: others, acts: true, does: "writes an archive",
		flags: "-# -D -j -q -r -u -v -X -y",
		and: func(g given, u *use) {
			for i, a := range g.operands {
				switch {
				case i > 0:
					u.files = append(u.files, file{arg: a, tree: g.has("-r")})
				case strings.Contains(a.value, "."):
					u.write(a)
				default:
					u.write(a, a.with(".zip"))
				}
			}
		},
	},
	"unzip": {
		source: "Info-ZIP unzip 6.0 manual", operands: others, acts: true,
		flags: "-C -d= -f -j -l -L -n -o -p -q -t -u -v -z", // -Z is another program
		and:   unzipUse,
	},
	"gzip":    packer(".gz", "GNU gzip 1.13 manual"),
	"gunzip":  packer(".gz", "GNU gzip 1.13 manual"),
	"bzip2":   packer(".bz2", "bzip2 1.0.8 manual"),
	"bunzip2": packer(".bz2", "bzip2 1.0.8 manual"),
	"xz":      packer(".xz", "xz 5.6 manual"),
	"unxz":    packer(".xz", "xz 5.6 manual"),
	"zcat":    {source: "GNU gzip 1.13 manual", operands: reads, flags: "-f -q -v -h -V" + gnu},
	"bzcat":   {source: "bzip2 1.0.8 manual", operands: reads, flags: "-q -s"},
	"xzcat":   {source: "xz 5.6 manual", operands: reads, flags: "-f -q -v --help --version"},
}

// packer is a program that puts a packed file in the place of each operand, or
// the other way round, unless it prints.
func packer(suffix, source string) entry {
	return entry{
		source: source, operands: others, acts: true,
		flags: "-# -c -d -f -h -k -l -n -q -r -t -v -V -z --best --decompress --fast --force --keep --list --no-name --quiet" +
			" --recursive --stdout --test --verbose" + gnu,
		and: func(g given, u *use) {
			// Of the flags that say what to do, the last counts.
			looks := g.has("-l", "-t", "--list", "--test") && !g.has("-d", "-z", "--decompress")
			if looks || g.has("-c", "--stdout") {
				for _, a := range g.operands {
					u.files = append(u.files, file{arg: a, tree: g.has("-r", "--recursive")})
				}
				return
			}
			if len(g.operands) > 0 {
				u.worsen(Mutating, "it writes files in the place of others")
			}
			for _, a := range g.operands {
				tree := g.has("-r", "--recursive")
				u.files = append(u.files, file{arg: a, write: true, tree: tree}, file{arg: a.with(suffix), write: true})
				if name, ok := strings.CutSuffix(a.value, suffix); ok {
					a.value = name
					u.write(a)
				}
			}
		},
	}
}

func unzipUse(g given, u *use) {
	if len(g.operands) == 0 {
		return
	}
	archive := g.operands[0]
	if strings.ContainsAny(archive.value, "*?[") {
		u.worsen(Unknown, "unzip has patterns of its own")
	}
	u.read(archive, archive.with(".zip"))
	if g.has("-l", "-p", "-t", "-v", "-z") && !g.has("-d", "-f", "-u") {
		return
	}
	u.worsen(Mutating, "unzip writes files")
	for _, dir := range append(g.values("-d"), word("."))[:1] {
		u.files = append(u.files, file{arg: dir, write: true, tree: true})
	}
}
