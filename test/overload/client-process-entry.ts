import { openClients, type Run } from './open-loop-clients.js'

/*
 * A process that runs clients. Its arguments are its number and the number of such processes. It runs what its parent
 * sends and reports the results.
 */

const [place, processes] = process.argv.slice(2).map(Number)
const clients = openClients(place ?? 0, processes ?? 1)

/** Milliseconds between two reports. */
const interval = 500

process.on('message', (run: Run) => {
  const report = (ended: boolean) => process.send?.({ ...clients.take(), ended })
  const reports = setInterval(() => report(false), interval)
  void clients.run(run).then(() => {
    clearInterval(reports)
    report(true)
  })
})
