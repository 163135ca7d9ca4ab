package proc

// A Leftover is a process that a command left running and that was ended with it.
type Leftover struct {
	Pid int
	// Command is its program and arguments with blanks between them, or only the name of
	// the program where the system does not tell more. It may contain secrets. It is empty
	// for a copy of the child, such as the subshell of a shell.
	Command string
}
