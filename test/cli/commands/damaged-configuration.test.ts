import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { runMetastore, runProgram, startServer, stopProcesses } from '../../support/program/run-program.js'
import { type ExampleRepository, initExampleRepository } from '../../support/repository/example-repository.js'

describe('a damaged configuration file of the repository', () => {
  let example: ExampleRepository
  let file: string
  beforeEach(async () => {
    example = await initExampleRepository()
    file = join(example.data, '.git/config')
  })
  afterEach(stopProcesses)

  /** Text in every message. */
  const says = (line: number) => `${file} is damaged: its line ${line} is no setting.`

  for (const [what, text, line] of [
    ['cut off', '[core]\n\trepositoryformatversion = 0\n\tbare = "fal', 3],
    ['overwritten', '\0'.repeat(80), 1],
    ['in conflict', '<<<<<<< HEAD\n[core]\n', 1],
  ] as const) {
    it(`is reported with a remedy by every command and the server, if it is ${what}`, async () => {
      writeFileSync(file, text)
      for (const command of ['list', 'status', 'repair', 'check HEAD', 'commit -m x']) {
        const { code, stdout, stderr } = await example.run(...command.split(' '))
        expect([code, stdout], `${command}: ${stderr}`).to.deep.equal([4, ''])
        expect(stderr).to.contain(says(line)).and.contain('Correct that line.').and.not.contain('--from')
      }
      for (const options of [[], ['--full']]) {
        const { code, stdout } = await example.run('verify', ...options)
        expect(code).to.equal(4)
        expect(stdout).to.contain('configuration').and.contain(says(line)).and.contain('1 complaint')
        expect(stdout).to.not.contain('--from')
      }
      const served = await runMetastore(['serve', '--port', '0', '--data', example.data])
      expect([served.code, served.stderr.includes(says(line))], served.stderr).to.deep.equal([4, true])
      const from = await example.run('repair', '--from', example.data)
      expect([from.code, from.stderr.includes(says(line))], from.stderr).to.deep.equal([4, true])
      expect(readFileSync(file, 'utf8')).to.equal(text)

      // Follows the advice of the message.
      rmSync(file)
      expect((await runProgram('git', ['init', example.data])).code).to.equal(0)
      expect((await example.run('verify')).stdout).to.contain('no complaint')
      await startServer(['--data', example.data])
    })
  }
})
