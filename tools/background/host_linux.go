package background

import (
	"bytes"
	"os"
	"strconv"
	"strings"
)

// processStart returns when a process began, in ticks since the system did, with the
// name of that run of the system.
func processStart(pid int) (start string, running bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return "", false
	}
	// The name of the program, in parentheses, may hold anything.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	const state, began = 0, 19
	if len(fields) <= began || fields[state][0] == 'Z' || fields[state][0] == 'X' {
		return "", false
	}
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id") // without it, the ticks have to do
	return strings.TrimSpace(string(boot)) + "/" + string(fields[began]), true
}
