// npm run faults: hurts servers for as long as it takes, and looks what is left; npm run faults -- overload: sends
// them more than they can take. See docs/understand/reliability.md.
import { setup } from './setup.js'

setup()
if (process.argv[2] === 'overload') {
  process.argv.splice(2, 1)
  await import('../dist/test/overload/run-overload.js')
} else await import('../dist/test/faults/rounds/run-faults.js')
