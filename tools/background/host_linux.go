package background

import (
	"bytes"
	"os"
	"strconv"
	"strings"
)

// processStart returns the start time of a process: the id of the system's boot and
// the clock ticks since that boot.
func processStart(pid int) (start string, running bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return "", false
	}
	// The name of the program, in parentheses, may contain any character.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	const state, began = 0, 19
	if len(fields) <= began || fields[state][0] == 'Z' || fields[state][0] == 'X' {
		return "", false
	}
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id") // if it cannot be read, the ticks alone are used
	return strings.TrimSpace(string(boot)) + "/" + string(fields[began]), true
}
