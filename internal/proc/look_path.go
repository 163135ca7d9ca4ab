package proc

import "os/exec"

// LookPath returns where the program of that name is, as os/exec finds it. It does not find a
// program in the current directory.
func LookPath(name string) (string, error) { return exec.LookPath(name) }
