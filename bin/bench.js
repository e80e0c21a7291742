// npm run bench: every benchmark, built first; npm run bench -- <name>…: those. See docs/understand/performance.md.
import { setup } from './setup.js'

setup()
await import('../dist/bench/run-benchmarks.js')
