;; Breaks(text []byte) int counts line breaks. See pkg/pattern.
param pc
local p i32  local end i32  local last i32  local n i32  local want v128
  global.get sp  i32.load 8  local.tee p
  global.get sp  i32.load 16  i32.add  local.tee end
  i32.const 16  i32.sub  local.set last
  i32.const 10  i8x16.splat  local.set want
  local.get end  local.get p  i32.sub  i32.const 16  i32.lt_u
  if
    block done
      loop next
        local.get p  local.get end  i32.ge_u  br_if done
        local.get p  i32.load8_u 0  i32.const 10  i32.eq  local.get n  i32.add  local.set n
        local.get p  i32.const 1  i32.add  local.set p
        br next
      end
    end
  else
    block done
      loop next
        local.get p  local.get last  i32.gt_u  br_if done
        local.get p  v128.load 0  local.get want  i8x16.eq  i8x16.bitmask  i32.popcnt
        local.get n  i32.add  local.set n
        local.get p  i32.const 16  i32.add  local.set p
        br next
      end
    end
    ;; Of the last 16 bytes those behind p are left, which are the mask's high bits.
    local.get last  v128.load 0  local.get want  i8x16.eq  i8x16.bitmask
    local.get p  local.get last  i32.sub  i32.shr_u  i32.popcnt
    local.get n  i32.add  local.set n
  end
  global.get sp  local.get n  i64.extend_i32_u  i64.store 32
  global.get sp  i32.const 8  i32.add  global.set sp
  i32.const 0
