package audit_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	"github.com/seed49eaa51d/pegboard/audit"
)

const (
	sharedMax   = 16 << 10 // bytes of a file that processes share
	sharedLines = 1000     // of each of them
)

// play makes the test binary a program that keeps a log.
func play(role, path string) error {
	switch role {
	case "share":
		log, err := audit.Open(path, audit.Options{MaxBytes: sharedMax, Keep: 1000})
		if err != nil {
			return err
		}
		for i := range sharedLines {
			log.Record(decided(fmt.Sprintf("%d:%d", os.Getpid(), i)))
		}
		return log.Close()
	case "write for ever":
		log, err := audit.Open(path, audit.Options{MaxBytes: -1, Inputs: true})
		if err != nil {
			return err
		}
		e := decided("large")
		e.Call.Input = json.RawMessage(`"` + string(bytes.Repeat([]byte("x"), 8<<20)) + `"`)
		for i := 0; ; i++ {
			log.Record(e)
			if i == 0 {
				fmt.Println("ready")
			}
		}
	case "on a full disk":
		return fillDisk(path)
	}
	return fmt.Errorf("unknown role %q", role)
}
