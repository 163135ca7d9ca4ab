package pegboard

import (
	"runtime"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
)

// Platform says how paths are spelled.
type Platform int

// The platforms. The zero value is the one that the program runs on.
const (
	PlatformCurrent Platform = iota
	PlatformLinux
	PlatformDarwin
	PlatformWindows
)

// String returns the platform in lower case.
func (p Platform) String() string { return nameOf(int(p), "this", "linux", "darwin", "windows") }

// pattern returns the platform in the form of package pattern.
func (p Platform) pattern() pattern.Platform {
	switch p {
	case PlatformLinux:
		return pattern.Linux
	case PlatformDarwin:
		return pattern.Darwin
	case PlatformWindows:
		return pattern.Windows
	}
	return currentPlatform()
}

// currentPlatform is the platform that the program runs on.
func currentPlatform() pattern.Platform {
	switch runtime.GOOS {
	case "windows":
		return pattern.Windows
	case "darwin":
		return pattern.Darwin
	}
	return pattern.Linux
}
