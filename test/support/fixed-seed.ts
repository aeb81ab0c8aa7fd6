import fc from 'fast-check'

/** The same cases on every machine and every time: what fails, fails for everyone. */
fc.configureGlobal({ seed: 20_261_202 })
