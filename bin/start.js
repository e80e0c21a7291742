// npm start: a fresh clone is installed and built first.
import { setup } from './setup.js'

// Before the installation, during which npm may be told to end too.
if (process.env.npm_lifecycle_event === 'start') endWithParent()
setup()
const { main } = await import('../dist/program/main.js')
await main(['serve', ...process.argv.slice(2)])

/** Whoever stops npm ends its shell, which tells nobody: a server would go on, and keep its port. */
function endWithParent() {
  const parent = process.ppid
  const looking = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(looking)
    process.kill(process.pid, 'SIGTERM')
  }, 250)
  looking.unref()
}
