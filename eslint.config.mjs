import tseslint from 'typescript-eslint';

/** What a package may import of ours; test/architecture.test.ts holds the same table for every file. */
const services = ['gateway', 'validator', 'analytics', 'mcp'];

export default tseslint.config(
  {
    ignores: [
      '**/node_modules/**',
      '**/dist/**',
      'data/**',
      'config/data/**',
      '**/*.mjs',
      '**/fixtures/**',
    ],
  },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        project: [
          './tsconfig.json',
          './validator/browser/tsconfig.json',
          './dashboard/page/tsconfig.json',
        ],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-shadow': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // Allows all values but a mixture such as `boolean | Promise<boolean>`: a promise counts as true.
      '@typescript-eslint/strict-boolean-expressions': [
        'error',
        {
          allowAny: true,
          allowNullableBoolean: true,
          allowNullableEnum: true,
          allowNullableNumber: true,
          allowNullableString: true,
        },
      ],
      'max-lines': ['error', { max: 300, skipComments: true, skipBlankLines: true }],
      'max-lines-per-function': ['error', { max: 80, skipComments: true, skipBlankLines: true }],
      complexity: ['error', 15],
      eqeqeq: 'error',
      'no-console': 'error',
    },
  },
  {
    files: ['**/*.test.ts', 'test/**', 'bench/**', 'scripts/**', 'examples/**', 'eval/**'],
    rules: { 'max-lines-per-function': 'off', 'no-console': 'off' },
  },
  ...services.map((service) => ({
    files: [`${service}/src/**/*.ts`],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: services
            .filter((other) => other !== service)
            .map((other) => ({
              group: [`@guard/${other}`, `@guard/${other}/*`],
              message: `${service} and ${other} meet in server/ through a port of config/contract/ports.ts.`,
            })),
        },
      ],
    },
  })),
);
