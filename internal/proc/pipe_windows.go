package proc

import "os"

// writeNow writes nothing: a pipe of Windows blocks its writer.
func writeNow(*os.File, []byte) (int, error) { return 0, nil }
