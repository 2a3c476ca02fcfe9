package evidence

import "github.com/Kayphoon/opencode-advisor/pkg/safefs"

// Refusal tells why safefs did not open a path in the terms of Files; any other
// error, and nil, is itself.
func Refusal(err error) error {
	if err == nil {
		return nil
	}
	switch safefs.KindOf(err) {
	case safefs.KindMissing, safefs.KindNotDir:
		return ErrMissing
	case safefs.KindOutside, safefs.KindPath:
		return ErrOutside
	case safefs.KindCredential:
		return ErrRefused
	case safefs.KindTooLarge:
		return ErrTooLarge
	}
	return err
}
