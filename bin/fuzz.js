// npm run fuzz -- --seconds 60 --seed 1: generated requests against a started server, built first.
// See docs/run/security.md.
import { setup } from './setup.js'

setup()
await import('../dist/test/fuzz/run-fuzz.js')
