import { describe, expect, test } from 'vitest';
import {
  CHROME_ON_WINDOWS,
  HUMAN,
  judgePerson,
  reasonsBesideListener,
} from '../../testing/judge-recordings.ts';

const graphicsOf = (renderer: string, vendor = 'Google Inc.') => ({
  graphics: { value: { vendor, renderer } },
});

const DIRECT3D =
  'ANGLE (NVIDIA, NVIDIA GeForce RTX 3060 (0x00002503) Direct3D11 vs_5_0 ps_5_0, D3D11)';
const METAL = 'ANGLE (Apple, ANGLE Metal Renderer: Apple M1, Unspecified Version)';
const MESA = 'ANGLE (Intel, Mesa Intel(R) UHD Graphics 620 (KBL GT2), OpenGL 4.6)';
const LLVMPIPE = 'ANGLE (Mesa, llvmpipe (LLVM 19.1.7, 256 bits), OpenGL 4.5)';
const SWIFTSHADER =
  'ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero) (0x0000C0DE)), SwiftShader driver)';

const LINUX = 'chromium-headful-incognito';
const MAC = [
  ['Windows NT 10.0; Win64; x64', 'Macintosh; Intel Mac OS X 10_15_7'],
  ['Win32', 'MacIntel'],
  ['Windows', 'macOS'],
  ['Segoe UI', 'Menlo'],
] as const;

describe('graphics_mismatch: the WebGL renderer exists only on another system than the claimed one', () => {
  const BOTH_REASONS = ['debugger_attached', 'graphics_mismatch'];

  test('is a weak finding, which does not change the judgement by itself', () => {
    expect(judgePerson(CHROME_ON_WINDOWS, { readings: graphicsOf(MESA) })).toMatchObject(HUMAN);
  });

  test.each([
    ['Windows', 'Mesa', { readings: graphicsOf(MESA) }],
    ['Windows', 'llvmpipe', { readings: graphicsOf(LLVMPIPE) }],
    ['Windows', 'Metal', { readings: graphicsOf(METAL) }],
    ['a Mac', 'Direct3D', { readings: graphicsOf(DIRECT3D), words: MAC }],
    ['a Mac', 'Mesa', { readings: graphicsOf(MESA), words: MAC }],
  ])('is a finding: %s with the renderer %s', (_system, _renderer, change) => {
    expect(reasonsBesideListener(CHROME_ON_WINDOWS, change)).toEqual(BOTH_REASONS);
  });

  test('is a finding: Linux with a Direct3D renderer', () => {
    expect(reasonsBesideListener(LINUX, { readings: graphicsOf(DIRECT3D) })).toEqual(BOTH_REASONS);
  });

  test.each([
    ['Windows with Direct3D, which Wine has too', { readings: graphicsOf(DIRECT3D) }],
    ['Windows with Vulkan in software', { readings: graphicsOf(SWIFTSHADER) }],
    ['Windows with a name that an extension invented', { readings: graphicsOf('Apple', 'Intel') }],
    ['Windows without WebGL', { readings: { graphics: { unread: 'absent' } } }],
    ['a Mac with Metal', { readings: graphicsOf(METAL), words: MAC }],
  ] as const)('no finding: %s', (_who, change) => {
    expect(reasonsBesideListener(CHROME_ON_WINDOWS, change)).toEqual([]);
  });

  test.each([
    ['Mesa', MESA],
    ["a Mac's own processor", 'ANGLE (Mesa, Apple M1 (G13G B0), OpenGL ES 3.2)'],
    [
      'Direct3D of the Windows that it runs in',
      'ANGLE (Microsoft Corporation, D3D12 (RTX), OpenGL 4.2)',
    ],
    ["a phone's graphics, in desktop mode", 'ANGLE (Qualcomm, Adreno (TM) 740, OpenGL ES 3.2)'],
  ])('no finding: Linux with %s', (_what, renderer) => {
    expect(reasonsBesideListener(LINUX, { readings: graphicsOf(renderer) })).toEqual([]);
  });

  test('no finding: Firefox, and a phone', () => {
    const wordsOfWindows = [['X11; Linux x86_64', 'Windows NT 10.0; Win64; x64']] as const;
    const readings = graphicsOf('llvmpipe, or similar', 'Mesa/X.org');
    expect(reasonsBesideListener('firefox-headful', { readings, words: wordsOfWindows })).toEqual(
      [],
    );
    expect(reasonsBesideListener('chrome-android', { readings: graphicsOf(METAL) })).toEqual([]);
  });
});
