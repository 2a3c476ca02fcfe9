;; findPair(text []byte, gap int, want uint32) int finds two bytes at once. See pkg/pattern.
param pc
local p i32  local gap i32  local end i32  local last i32  local mask i32  local want i32
local first v128  local second v128  local bit1 v128  local bit2 v128  local found i64
  global.get sp  i32.load 8  local.tee p
  global.get sp  i32.load 16  i32.add
  global.get sp  i32.load 32  local.tee gap  i32.sub  local.set end  ;; of the places for the first byte
  global.get sp  i32.load 40  local.set want
  i64.const -1  local.set found
  block done
    local.get p  local.get end  i32.ge_s  br_if done  ;; signed: of no text, at 0, the end may be below
    local.get want  i8x16.splat  local.set first
    local.get want  i32.const 8  i32.shr_u  i8x16.splat  local.set bit1
    local.get want  i32.const 16  i32.shr_u  i8x16.splat  local.set second
    local.get want  i32.const 24  i32.shr_u  i8x16.splat  local.set bit2
    local.get end  local.get p  i32.sub  i32.const 16  i32.lt_u
    if
      loop next
        local.get p  i32.load8_u 0
        local.get want  i32.const 8  i32.shr_u  i32.const 255  i32.and  i32.or
        local.get want  i32.const 255  i32.and  i32.eq
        local.get p  local.get gap  i32.add  i32.load8_u 0
        local.get want  i32.const 24  i32.shr_u  i32.or
        local.get want  i32.const 16  i32.shr_u  i32.const 255  i32.and  i32.eq
        i32.and  local.tee mask
        if
          i32.const 1  local.set mask
        else
          local.get p  i32.const 1  i32.add  local.tee p  local.get end  i32.lt_u  br_if next
          br done
        end
      end
    else
      local.get end  i32.const 16  i32.sub  local.set last
      block near  ;; 32 places a turn, as long as there are so many and none is right
        loop next
          local.get end  local.get p  i32.sub  i32.const 32  i32.lt_u  br_if near
          local.get p  v128.load 0  local.get bit1  v128.or  local.get first  i8x16.eq
          local.get p  local.get gap  i32.add  v128.load 0  local.get bit2  v128.or  local.get second  i8x16.eq
          v128.and
          local.get p  v128.load 16  local.get bit1  v128.or  local.get first  i8x16.eq
          local.get p  local.get gap  i32.add  v128.load 16  local.get bit2  v128.or  local.get second  i8x16.eq
          v128.and  v128.or  v128.any_true  br_if near
          local.get p  i32.const 32  i32.add  local.set p
          br next
        end
      end
      loop next  ;; 16 places a turn; the last ones end at the end, where some are looked at twice
        local.get p  local.get end  i32.ge_u  br_if done
        local.get last  local.get p  local.get p  local.get last  i32.gt_u  select  local.tee p
        v128.load 0  local.get bit1  v128.or  local.get first  i8x16.eq
        local.get p  local.get gap  i32.add  v128.load 0  local.get bit2  v128.or  local.get second  i8x16.eq
        v128.and  i8x16.bitmask  local.tee mask
        i32.eqz
        if
          local.get p  i32.const 16  i32.add  local.set p
          br next
        end
      end
    end
    local.get p  local.get mask  i32.ctz  i32.add
    global.get sp  i32.load 8  i32.sub  i64.extend_i32_u  local.set found
  end
  global.get sp  local.get found  i64.store 48
  global.get sp  i32.const 8  i32.add  global.set sp
  i32.const 0
