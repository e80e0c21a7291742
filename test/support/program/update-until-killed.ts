import { compose } from '../../../src/compose/compose.js'
import { defaults } from '../../../src/config.js'
import { createNote, reviseNote } from '../repository/note-records.js'

/*
 * Writes until it is killed: `node update-until-killed.js <data folder> <git>`. Prints a line for each acknowledged
 * update: id, version, commit.
 */

const [data = '', git = 'auto'] = process.argv.slice(2)
const services = await compose({ ...defaults, data, git, workers: 1 }, { report: () => undefined })

async function writeOn(): Promise<never> {
  for (let at = 0; ; at++) {
    const created = await createNote(services, `note ${at}`)
    process.stdout.write(`${created.id} ${created.version} ${created.commit}\n`)
    const revised = await reviseNote(services, created, `note ${at}, again`)
    process.stdout.write(`${revised.id} ${revised.version} ${revised.commit}\n`)
  }
}

process.stdout.write('ready\n')
await Promise.all([writeOn(), writeOn(), writeOn(), writeOn()])
