// npm run faults: causes faults of servers and checks their repositories. npm run faults -- overload: sends servers
// more requests than they can answer. See docs/understand/reliability.md.
import { setup } from './setup.js'

await setup()
if (process.argv[2] === 'overload') {
  process.argv.splice(2, 1)
  await import('../dist/test/overload/run-overload.js')
} else await import('../dist/test/faults/rounds/run-faults.js')
