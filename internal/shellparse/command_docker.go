package shellparse

import "strings"

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
