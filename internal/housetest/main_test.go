package housetest_test

import (
	"fmt"
	"os"
	"testing"
)

// TestMain runs the tests at the top of the module.
func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
